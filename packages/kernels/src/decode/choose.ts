import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/decode'
import { canRun, type Device } from '../parts/device'
import type { Storage } from '../parts/storage'

/** Keys below which a split of its own costs more than it saves: two rounds of a workgroup. */
const LEAST_KEYS = 128
/** Workgroups that fill a large device several times over. */
const ENOUGH = 1024
/** Partial results of more splits would take longer to combine than keys take to read. */
const MOST = 128

/** Into how many splits the keys of attention with one query go: as many as make enough workgroups of so many rows, none too short. */
export function chooseDecodeSplits(rows: number, keys: number): number {
  const wanted = Math.ceil(ENOUGH / Math.max(rows, 1))
  return Math.max(1, Math.min(wanted, Math.ceil(keys / LEAST_KEYS), MOST))
}

/** What decides over the kernel. */
export interface DecodeForm {
  readonly headSize: number
  /** Of q and of the cache. */
  readonly type: Storage
  readonly cacheType: Storage
  /** Whether scores are bent. */
  readonly capped: boolean
}

const STREAMS: Readonly<Record<number, Readonly<Record<string, CompiledKernel>>>> = {
  64: { f32: g.decode_stream_64, f16: g.decode_stream_64_f16, 'f32 f16': g.decode_stream_64_f16_cache },
  128: { f32: g.decode_stream_128, f16: g.decode_stream_128_f16, 'f32 f16': g.decode_stream_128_f16_cache },
}
/** Lanes that share a row. */
const LANES = 16

/** Query heads that a workgroup of `decode_stream` takes at once. */
export const STREAM_HEADS = 4

/** The kernel of several query heads at once, where there is one and the device has subgroups of enough lanes. Pure. */
export function chooseDecodeStream(
  { headSize, type, cacheType, capped }: DecodeForm,
  device: Device,
): CompiledKernel | undefined {
  const kernel = STREAMS[headSize]?.[type === cacheType ? type : `${type} ${cacheType}`]
  const able = kernel && !capped && (device.limits.minSubgroupSize ?? 0) >= LANES && canRun(kernel, device)
  return able ? kernel : undefined
}
