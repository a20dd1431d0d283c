import * as g from '../../generated/blocks'
import {
  type BufferLike,
  checkBuffers,
  checkCall,
  checkChoice,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
  type Runtime,
} from '../host'
import type { Storage } from '../parts/storage'
import { checkType } from '../quant/weights-host'
import { BLOCKS } from './layout'

export interface QuantizeBlocksArgs {
  /** Those of 32 values with one scale. */
  readonly format: 'q8_0' | 'q4_0'
  /** [n, k] */
  readonly x: BufferLike
  /** Written: the blocks, row after row, and nothing behind them. */
  readonly w: BufferLike
  /** The byte of `w` where the first block goes: a multiple of 4. 0 when left out. */
  readonly offset?: number
  readonly n: number
  /** A multiple of 32. */
  readonly k: number
  /** Of x; f32 when left out. */
  readonly type?: Storage
}

const KERNELS = {
  q8_0: { f32: g.quantize_q8_0, f16: g.quantize_q8_0_f16 },
  q4_0: { f32: g.quantize_q4_0, f16: g.quantize_q4_0_f16 },
} as const
const QUANTIZE_BLOCKS_KEYS = keysOf<QuantizeBlocksArgs>()('format x w offset n k type')

/**
 * Quantizes on the device, bit for bit as `packBlocks` on the host: what the other functions over blocks take. Values are finite; a block
 * whose values are all below 2⁻¹¹⁹ is written as one of zeros.
 *
 * @throws RangeError before anything is recorded: format, sizes, offset, buffers that are too small
 */
export async function quantizeBlocks(
  runtime: Runtime,
  args: QuantizeBlocksArgs,
  options: HostOptions = {},
): Promise<void> {
  const what = 'quantize_blocks'
  checkCall(what, args, QUANTIZE_BLOCKS_KEYS, options)
  const { format, x, w, offset = 0, n, k, type = 'f32' } = args
  checkChoice(what, 'format', format, Object.keys(KERNELS))
  checkSizes(what, { n, k, offset })
  const { size, bytes } = BLOCKS[format]
  if (k % size !== 0) throw new RangeError(`${what}: k must be a multiple of ${size}, the block of ${format}, got ${k}`)
  if (offset % 4 !== 0) throw new RangeError(`${what}: offset must be a multiple of 4, got ${offset}`)
  if (n * k >= 2 ** 32) throw new RangeError(`${what}: n · k must be less than 2³², got ${n * k}`)
  const blocks = (n * k) / size
  const words = offset / 4 + Math.ceil((blocks * bytes) / 4)
  checkBuffers(what, { x: [x, n * k, checkType(what, type)], w: [w, words] })
  if (blocks === 0) return
  await runtime.run(chosen(KERNELS[format][type], options), { x, w, blocks, first: offset / 4 })
}
