import * as g from '../../generated/blocks'
import { argsOf, floatType, input, maybe, oneOf, output, size } from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import type { Storage } from '../parts/storage'
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
const QUANTIZE_BLOCKS_ARGS = argsOf<QuantizeBlocksArgs>({
  format: oneOf('q8_0', 'q4_0'),
  x: input,
  w: output,
  offset: maybe(size),
  n: size,
  k: size,
  type: floatType,
})

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
  const what = 'quantizeBlocks'
  checkCall(runtime, what, args, QUANTIZE_BLOCKS_ARGS, options)
  const { format, x, w, offset = 0, n, k, type = 'f32' } = args
  const { size, bytes } = BLOCKS[format]
  if (k % size !== 0) throw badArgument(`${what}: k must be a multiple of ${size}, the block of ${format}, got ${k}`)
  if (offset % 4 !== 0) throw badArgument(`${what}: offset must be a multiple of 4, got ${offset}`)
  if (n * k >= 2 ** 32) throw badArgument(`${what}: n · k must be less than 2³², got ${n * k}`)
  const blocks = (n * k) / size
  const words = offset / 4 + Math.ceil((blocks * bytes) / 4)
  checkBuffers(what, { x: [x, n * k, bytesIn(type)], w: [w, words] })
  if (blocks === 0) return
  await runtime.run(chosen(KERNELS[format][type], options), { x, w, blocks, first: offset / 4 })
}
