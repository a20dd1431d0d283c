import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/blocks'
import { argsOf, floatType, formatOf, input, inputBy, maybe, object, output, size } from '../args'
import { type BufferLike, badArgument, checkCall, type HostOptions, type Runtime } from '../host'
import { WORD_FORMATS } from '../quant/pack'
import {
  type Bound,
  MATMUL_OPTIONS,
  type MatmulTrial,
  type QuantizedMatmulOptions,
  runDequantize,
  runEmbedding,
  runMatmul,
  tuningOfShape,
  type WeightsAt,
  type WeightsBy,
  type WeightsTo,
} from '../quant/weights-host'
import { trialOf } from '../verify'
import { BLOCK_NAMES, BLOCKS, type BlockName } from './layout'

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

const WEIGHTS_ARGS = argsOf<BlockWeights>({
  format: formatOf(BLOCK_NAMES, WORD_FORMATS, 'dequantize, quantizedEmbedding and quantizedMatmul'),
  w: inputBy('take the blocks to the device: runtime.buffer(blocks), of a file or of packBlocks'),
  offset: maybe(size),
  n: size,
  k: size,
})

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>

function bound(what: string, weights: BlockWeights): Bound {
  const { format, w, offset = 0, n, k } = weights
  const layout = BLOCKS[format]
  const { size, bytes } = layout
  if (k % size !== 0) throw badArgument(`${what}: k must be a multiple of ${size}, the block of ${format}, got ${k}`)
  if (offset % 2 !== 0) throw badArgument(`${what}: offset must be a multiple of 2 from 0 on, got ${offset}`)
  const end = offset + ((n * k) / size) * bytes
  if (end >= 2 ** 32) throw badArgument(`${what}: w must end below byte 2³², got ${end}`)
  // blocks of a multiple of 16 bytes are read by as many, and begin there where the first one does
  const lines = k > 0 && (bytes % 16 !== 0 || offset % 16 === 0) ? { offset } : undefined
  return { format, n, k, bindings: { w: [w, end, 1] }, params: { offset }, lines }
}

export interface DequantizeBlocksArgs extends WeightsTo {
  readonly weights: BlockWeights
}

const DEQUANTIZE_BLOCKS_ARGS = argsOf<DequantizeBlocksArgs>({
  weights: object(WEIGHTS_ARGS),
  y: output,
  type: floatType,
})

/** y = W, as f32 or f16. */
export async function dequantizeBlocks(
  runtime: Runtime,
  args: DequantizeBlocksArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'dequantizeBlocks', args, DEQUANTIZE_BLOCKS_ARGS, options)
  const { weights, ...to } = args
  await runDequantize(runtime, KERNELS, 'dequantizeBlocks', bound('dequantizeBlocks', weights), to, options)
}

export interface BlockEmbeddingArgs extends WeightsAt {
  readonly weights: BlockWeights
}

const BLOCK_EMBEDDING_ARGS = argsOf<BlockEmbeddingArgs>({
  weights: object(WEIGHTS_ARGS),
  index: input,
  count: size,
  y: output,
  type: floatType,
})

/** y[i, :] = W[index[i], :], and zeros for an index that is not below n. */
export async function blockEmbedding(
  runtime: Runtime,
  args: BlockEmbeddingArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'blockEmbedding', args, BLOCK_EMBEDDING_ARGS, options)
  const { weights, ...at } = args
  await runEmbedding(runtime, KERNELS, 'blockEmbedding', bound('blockEmbedding', weights), at, options)
}

export interface BlockMatmulArgs extends WeightsBy {
  readonly weights: BlockWeights
}

const BLOCK_MATMUL_ARGS = argsOf<BlockMatmulArgs>({
  weights: object(WEIGHTS_ARGS),
  x: input,
  bias: maybe(input),
  y: output,
  m: size,
  type: floatType,
})

/**
 * y = x · Wᵀ + bias, blocks dequantized on the way, sums in f32.
 *
 * @throws RangeError before anything is recorded: sizes, format, offset, buffers that are too small
 */
export async function blockMatmul(
  runtime: Runtime,
  args: BlockMatmulArgs,
  options: QuantizedMatmulOptions = {},
): Promise<void> {
  checkCall(runtime, 'blockMatmul', args, BLOCK_MATMUL_ARGS, options, MATMUL_OPTIONS)
  const { weights, ...by } = args
  const trial: MatmulTrial = (shape) => {
    const tuning = tuningOfShape(weights.format, shape)
    return trialOf(
      runtime,
      () => import('./trial'),
      ({ blocksProblem }) => blocksProblem(weights.format, shape),
      (_, small, only) => blockMatmul(runtime, small, { ...only, tuning }),
    )
  }
  await runMatmul(runtime, KERNELS, 'blockMatmul', bound('blockMatmul', weights), by, options, trial)
}
