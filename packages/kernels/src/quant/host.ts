import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/quant'
import { argsOf, floatType, formatOf, input, inputBy, maybe, object, output, size } from '../args'
import { BLOCK_NAMES } from '../blocks/layout'
import { type BufferLike, badArgument, checkCall, type HostOptions, type Runtime } from '../host'
import { trialOf } from '../verify'
import { WORD_FORMATS, type WordFormat } from './pack'
import {
  type Bound,
  linesOfGroups,
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
} from './weights-host'

/** Weights W: [n, k] on the device, as `quantizeWeights` packs them. */
export interface QuantizedWeights {
  readonly format: WordFormat
  /** n rows of whole words: four bytes, or eight nibbles */
  readonly w: BufferLike
  /** f32: [n]; with int4 [n, groups] */
  readonly scales: BufferLike
  /** uint8: i32 [n]; int4_zeros: n rows of whole words with a nibble for each group */
  readonly zeros?: BufferLike
  readonly n: number
  readonly k: number
  /** With int4: elements of a row that share a scale, a multiple of 8. */
  readonly group?: number
}

/** A part of weights, which quantizeWeights gives on the host. */
const part = inputBy(
  'take all parts to the device: weights: uploadWeights(runtime, packed), of what quantizeWeights gives',
)
export const WEIGHTS_ARGS = argsOf<QuantizedWeights>({
  format: formatOf(WORD_FORMATS, BLOCK_NAMES, 'dequantizeBlocks, blockEmbedding and blockMatmul'),
  w: part,
  scales: part,
  zeros: maybe(part),
  n: size,
  k: size,
  group: maybe(size),
})

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>

/** Sizes, bindings and params of weights, checked. */
export function bound(what: string, weights: QuantizedWeights): Bound {
  const { format, w, scales, zeros, n, k, group } = weights
  const withZeros = format === 'uint8' || format === 'int4_zeros'
  if (withZeros !== (zeros !== undefined))
    throw badArgument(`${what}: ${format} has ${withZeros ? '' : 'no '}zero points, got ${zeros ? 'some' : 'none'}`)
  if (format === 'int8' || format === 'uint8') {
    const words = Math.ceil(k / 4)
    const rows = k === 0 ? 0 : n
    const bindings = { w: [w, n * words, 4], scales: [scales, rows, 4] } as const
    const all = zeros ? { ...bindings, zeros: [zeros, rows, 4] as const } : bindings
    const lines = format === 'int8' && k > 0 && k % 16 === 0 ? { words } : undefined
    return { format, n, k, bindings: all, params: { words }, lines }
  }
  if (group === undefined || !Number.isInteger(group) || group < 8 || group % 8 !== 0 || group >= 2 ** 32)
    throw badArgument(`${what}: group must be a multiple of 8, got ${group}`)
  const [words, groups] = [Math.ceil(k / 8), Math.ceil(k / group)]
  const bindings = { w: [w, n * words, 4], scales: [scales, n * groups, 4] } as const
  const all = zeros ? { ...bindings, zeros: [zeros, n * Math.ceil(groups / 8), 4] as const } : bindings
  const group_log2 = linesOfGroups(k, group)
  const lines = k === 0 || group_log2 === null ? undefined : { words, group_log2, groups }
  return { format, n, k, bindings: all, params: { words, group, groups }, lines }
}

export interface DequantizeArgs extends WeightsTo {
  readonly weights: QuantizedWeights
}

const DEQUANTIZE_ARGS = argsOf<DequantizeArgs>({ weights: object(WEIGHTS_ARGS), y: output, type: floatType })

/** y = W, as f32 or f16. */
export async function dequantize(runtime: Runtime, args: DequantizeArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'dequantize', args, DEQUANTIZE_ARGS, options)
  const { weights, ...to } = args
  await runDequantize(runtime, KERNELS, 'dequantize', bound('dequantize', weights), to, options)
}

export interface QuantizedEmbeddingArgs extends WeightsAt {
  readonly weights: QuantizedWeights
}

const QUANTIZED_EMBEDDING_ARGS = argsOf<QuantizedEmbeddingArgs>({
  weights: object(WEIGHTS_ARGS),
  index: input,
  count: size,
  y: output,
  type: floatType,
})

/** y[i, :] = W[index[i], :], and zeros for an index that is not below n. */
export async function quantizedEmbedding(
  runtime: Runtime,
  args: QuantizedEmbeddingArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'quantizedEmbedding', args, QUANTIZED_EMBEDDING_ARGS, options)
  const { weights, ...at } = args
  await runEmbedding(runtime, KERNELS, 'quantizedEmbedding', bound('quantizedEmbedding', weights), at, options)
}

export interface QuantizedMatmulArgs extends WeightsBy {
  readonly weights: QuantizedWeights
}

const QUANTIZED_MATMUL_ARGS = argsOf<QuantizedMatmulArgs>({
  weights: object(WEIGHTS_ARGS),
  x: input,
  bias: maybe(input),
  y: output,
  m: size,
  type: floatType,
})

/**
 * y = x · Wᵀ + bias, weights dequantized on the way, sums in f32: a linear layer.
 *
 * @throws RangeError before anything is recorded: sizes, format, group, buffers that are too small
 */
export async function quantizedMatmul(
  runtime: Runtime,
  args: QuantizedMatmulArgs,
  options: QuantizedMatmulOptions = {},
): Promise<void> {
  checkCall(runtime, 'quantizedMatmul', args, QUANTIZED_MATMUL_ARGS, options, MATMUL_OPTIONS)
  const { weights, ...by } = args
  const trial: MatmulTrial = (shape) => {
    const tuning = tuningOfShape(weights.format, shape)
    return trialOf(
      runtime,
      () => import('./trial'),
      ({ wordsProblem }) => wordsProblem(weights.format, shape),
      (_, small, only) => quantizedMatmul(runtime, small, { ...only, tuning }),
    )
  }
  await runMatmul(runtime, KERNELS, 'quantizedMatmul', bound('quantizedMatmul', weights), by, options, trial)
}
