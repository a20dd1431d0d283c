import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/quant'
import { type BufferLike, checkSizes, type HostOptions, type Runtime } from '../host'
import type { WordFormat } from './pack'
import {
  type Bound,
  runDequantize,
  runEmbedding,
  runMatmul,
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

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>
const FORMATS: readonly WordFormat[] = ['int8', 'uint8', 'int4', 'int4_zeros']

/** Sizes, bindings and params of weights, checked. */
export function bound(what: string, { format, w, scales, zeros, n, k, group }: QuantizedWeights): Bound {
  if (!FORMATS.includes(format))
    throw new RangeError(`${what}: format must be one of ${FORMATS.join(', ')}, got ${String(format)}`)
  checkSizes(what, { n, k })
  const withZeros = format === 'uint8' || format === 'int4_zeros'
  if (withZeros !== (zeros !== undefined))
    throw new RangeError(`${what}: ${format} has ${withZeros ? '' : 'no '}zero points, got ${zeros ? 'some' : 'none'}`)
  if (format === 'int8' || format === 'uint8') {
    const words = Math.ceil(k / 4)
    const lines = k === 0 ? 0 : n
    const bindings = { w: [w, n * words, 4], scales: [scales, lines, 4] } as const
    const all = zeros ? { ...bindings, zeros: [zeros, lines, 4] as const } : bindings
    return { format, n, k, bindings: all, params: { words } }
  }
  if (group === undefined || !Number.isInteger(group) || group < 8 || group % 8 !== 0 || group >= 2 ** 32)
    throw new RangeError(`${what}: group must be a multiple of 8, got ${group}`)
  const [words, groups] = [Math.ceil(k / 8), Math.ceil(k / group)]
  const bindings = { w: [w, n * words, 4], scales: [scales, n * groups, 4] } as const
  const all = zeros ? { ...bindings, zeros: [zeros, n * Math.ceil(groups / 8), 4] as const } : bindings
  return { format, n, k, bindings: all, params: { words, group, groups } }
}

/** y = W, as f32 or f16. */
export async function dequantize(
  runtime: Runtime,
  { weights, ...to }: WeightsTo & { readonly weights: QuantizedWeights },
  options: HostOptions = {},
): Promise<void> {
  await runDequantize(runtime, KERNELS, bound('dequantize', weights), to, options)
}

/** y[i, :] = W[index[i], :], and zeros for an index that is not below n. */
export async function quantizedEmbedding(
  runtime: Runtime,
  { weights, ...at }: WeightsAt & { readonly weights: QuantizedWeights },
  options: HostOptions = {},
): Promise<void> {
  await runEmbedding(runtime, KERNELS, bound('embedding', weights), at, options)
}

/**
 * y = x · Wᵀ + bias, weights dequantized on the way, sums in f32: a linear layer.
 *
 * @throws RangeError before anything is recorded: sizes, format, group, buffers that are too small
 */
export async function quantizedMatmul(
  runtime: Runtime,
  { weights, ...by }: WeightsBy & { readonly weights: QuantizedWeights },
  options: HostOptions = {},
): Promise<void> {
  await runMatmul(runtime, KERNELS, bound('quant_matmul', weights), by, options)
}
