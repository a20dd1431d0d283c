import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/blocks'
import { type BufferLike, checkCall, checkKeys, checkSizes, type HostOptions, keysOf, type Runtime } from '../host'
import { solve } from '../problem'
import {
  type Bound,
  type MatmulTrial,
  runDequantize,
  runEmbedding,
  runMatmul,
  type WeightsAt,
  type WeightsBy,
  type WeightsTo,
} from '../quant/weights-host'
import { BLOCKS, type BlockName } from './layout'
import { blocksProblem } from './trial'

/** Weights W: [n, k] on the device as llama.cpp's blocks, rows one after another, as they are in a GGUF file. */
export interface BlockWeights {
  readonly format: BlockName
  readonly w: BufferLike
  /** The byte of `w` where the first block is: any multiple of 2, unlike the offset of a binding. 0 when left out. */
  readonly offset?: number
  readonly n: number
  /** A whole number of blocks. */
  readonly k: number
}

const WEIGHTS_KEYS = keysOf<BlockWeights>()('format w offset n k')

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>

function bound(what: string, weights: BlockWeights): Bound {
  checkKeys(`${what}: weights`, weights, WEIGHTS_KEYS)
  const { format, w, offset = 0, n, k } = weights
  const layout = BLOCKS[format]
  if (layout === undefined)
    throw new RangeError(`${what}: format must be one of ${Object.keys(BLOCKS).join(', ')}, got ${String(format)}`)
  checkSizes(what, { n, k })
  const { size, bytes } = layout
  if (k % size !== 0) throw new RangeError(`${what}: k must be a multiple of ${size}, the block of ${format}, got ${k}`)
  if (!Number.isSafeInteger(offset) || offset < 0 || offset % 2 !== 0)
    throw new RangeError(`${what}: offset must be a multiple of 2 from 0 on, got ${offset}`)
  const end = offset + ((n * k) / size) * bytes
  if (end >= 2 ** 32) throw new RangeError(`${what}: w must end below byte 2³², got ${end}`)
  // blocks of a multiple of 16 bytes are read by as many, and begin there where the first one does
  const lines = k > 0 && (bytes % 16 !== 0 || offset % 16 === 0) ? { offset } : undefined
  return { format, n, k, bindings: { w: [w, end, 1] }, params: { offset }, lines }
}

export interface DequantizeBlocksArgs extends WeightsTo {
  readonly weights: BlockWeights
}

const DEQUANTIZE_BLOCKS_KEYS = keysOf<DequantizeBlocksArgs>()('weights y type')

/** y = W, as f32 or f16. */
export async function dequantizeBlocks(
  runtime: Runtime,
  args: DequantizeBlocksArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall('dequantize_blocks', args, DEQUANTIZE_BLOCKS_KEYS, options)
  const { weights, ...to } = args
  await runDequantize(runtime, KERNELS, bound('dequantize', weights), to, options)
}

export interface BlockEmbeddingArgs extends WeightsAt {
  readonly weights: BlockWeights
}

const BLOCK_EMBEDDING_KEYS = keysOf<BlockEmbeddingArgs>()('weights index count y type')

/** y[i, :] = W[index[i], :], and zeros for an index that is not below n. */
export async function blockEmbedding(
  runtime: Runtime,
  args: BlockEmbeddingArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall('block_embedding', args, BLOCK_EMBEDDING_KEYS, options)
  const { weights, ...at } = args
  await runEmbedding(runtime, KERNELS, bound('embedding', weights), at, options)
}

export interface BlockMatmulArgs extends WeightsBy {
  readonly weights: BlockWeights
}

const BLOCK_MATMUL_KEYS = keysOf<BlockMatmulArgs>()('weights x bias y m type')

/**
 * y = x · Wᵀ + bias, blocks dequantized on the way, sums in f32.
 *
 * @throws RangeError before anything is recorded: sizes, format, offset, buffers that are too small
 */
export async function blockMatmul(runtime: Runtime, args: BlockMatmulArgs, options: HostOptions = {}): Promise<void> {
  checkCall('block_matmul', args, BLOCK_MATMUL_KEYS, options)
  const { weights, ...by } = args
  const trial: MatmulTrial = (shape, only) =>
    solve(runtime, blocksProblem(weights.format, shape), (small) => blockMatmul(runtime, small, only))
  await runMatmul(runtime, KERNELS, bound('quant_matmul', weights), by, options, trial)
}
