import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/quant'
import { argsOf, floatType, input, integerFrom, maybe, object, oneOf, output, positive, size } from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
  SEVERAL_OPTIONS,
  type SeveralOptions,
} from '../host'
import type { Storage } from '../parts/storage'
import { proven, trialOf } from '../verify'
import { bound, type QuantizedWeights, WEIGHTS_ARGS } from './host'
import type { QuantParams, WordFormat } from './pack'
import type { WeightsBy } from './weights-host'

const trials = () => import('./trial')

export interface QuantizeArgs {
  readonly format: WordFormat
  /** [lines, k] */
  readonly x: BufferLike
  /** Written: lines of whole words */
  readonly w: BufferLike
  /** Written: f32 [lines], with int4 [lines, groups] */
  readonly scales: BufferLike
  /** Written: uint8: i32 [lines]; int4_zeros: lines of whole words with a nibble for each group */
  readonly zeros?: BufferLike
  readonly lines: number
  readonly k: number
  /** With int4: a multiple of 8. */
  readonly group?: number
  /** Of x; f32 when left out. */
  readonly type?: Storage
}

/** Integers, and what a symmetric format has for 0. */
const RANGES = {
  int8: { low: -127, high: 127, middle: 0, symmetric: 1, most: 127 },
  uint8: { low: 0, high: 255, middle: 0, symmetric: 0, most: 255 },
  int4: { low: 0, high: 15, middle: 8, symmetric: 1, most: 7 },
  int4_zeros: { low: 0, high: 15, middle: 0, symmetric: 0, most: 15 },
} as const
const QUANTIZE_ARGS = argsOf<QuantizeArgs>({
  format: oneOf('int8', 'uint8', 'int4', 'int4_zeros'),
  x: input,
  w: output,
  scales: output,
  zeros: maybe(output),
  lines: size,
  k: size,
  group: maybe(size),
  type: floatType,
})

/**
 * Quantizes on the device, to what `quantizeWeights` gives on the host: a scale for each group from its values, then integers. Division on a
 * GPU is within 2.5 ULP, so that a value just between two integers may get the other one. Values are finite: one that is not makes the scale
 * that it shares NaN or ∞, and so all that is dequantized by it. `quantizeWeights` refuses such values.
 */
export async function quantize(runtime: Runtime, args: QuantizeArgs, options: SeveralOptions = {}): Promise<void> {
  checkCall(runtime, 'quantize', args, QUANTIZE_ARGS, options, SEVERAL_OPTIONS)
  const { format, x, w, scales, zeros, lines, k, group: asked, type = 'f32' } = args
  const weights = { format, w, scales, n: lines, k, ...(zeros ? { zeros } : {}) }
  const { bindings } = bound('quantize', asked === undefined ? weights : { ...weights, group: asked })
  checkBuffers('quantize', { ...bindings, x: [x, lines * k, bytesIn(type)] })
  if (lines * k === 0) return
  const int4 = format === 'int4' || format === 'int4_zeros'
  const group = int4 ? (asked as number) : k
  const groups = Math.ceil(k / group)
  const { low, high, middle, symmetric, most } = RANGES[format]
  using own = runtime.buffer({ size: 4 * lines * groups })
  const points = format === 'uint8' && zeros ? zeros : own
  const places = { lines, k, group, groups }
  await runtime.run(await chooseParams(runtime, type, options), {
    ...{ x, scales, zeros: points, ...places, low, high: most, middle, symmetric },
  })
  const four = type === 'f16' ? g.quantize_int4_f16 : g.quantize_int4
  const eight = type === 'f16' ? g.quantize_int8_f16 : g.quantize_int8
  await runtime.run(chosen(int4 ? four : eight, options), { x, scales, zeros: points, w, ...places, low, high })
  if (format === 'int4_zeros' && zeros)
    await runtime.run(chosen(g.pack_zeros, options), { zeros: points, w: zeros, lines, groups })
}

/** The kernel that chooses scales and zero points; with `verify`, by variants that are right. */
const chooseParams = (runtime: Runtime, type: Storage, options: SeveralOptions): Promise<CompiledKernel> =>
  proven(
    runtime,
    chosen(type === 'f16' ? g.choose_params_f16 : g.choose_params, options),
    options,
    trialOf(runtime, trials, ({ paramsProblem }) => paramsProblem(type), quantize),
  )

const DYNAMIC = {
  f32: { int8: g.matmul_dynamic_int8, int4: g.matmul_dynamic_int4, int4_zeros: g.matmul_dynamic_int4_zeros },
  f16: {
    int8: g.matmul_dynamic_int8_f16,
    int4: g.matmul_dynamic_int4_f16,
    int4_zeros: g.matmul_dynamic_int4_zeros_f16,
  },
} as const

export interface DynamicMatmulArgs extends WeightsBy {
  /** int8, int4 or int4_zeros; groups are a multiple of 32 */
  readonly weights: QuantizedWeights
}

const DYNAMIC_MATMUL_ARGS = argsOf<DynamicMatmulArgs>({
  weights: object(WEIGHTS_ARGS),
  x: input,
  bias: maybe(input),
  y: output,
  m: size,
  type: floatType,
})

/**
 * y = x · Wᵀ + bias with integer products: each row of x is quantized to int8 first, with a scale and a zero point of its own.
 *
 * @throws RangeError before anything is recorded: sizes, format, group, buffers that are too small
 */
export async function dynamicMatmul(
  runtime: Runtime,
  args: DynamicMatmulArgs,
  options: SeveralOptions = {},
): Promise<void> {
  checkCall(runtime, 'dynamicMatmul', args, DYNAMIC_MATMUL_ARGS, options, SEVERAL_OPTIONS)
  const { weights, x, bias, y, m, type = 'f32' } = args
  const { format, n, k, group = 0 } = weights
  const { bindings, params } = bound('dynamicMatmul', weights)
  if (format === 'uint8') throw badArgument('dynamicMatmul: format must be int8, int4 or int4_zeros, got uint8')
  if (format !== 'int8' && group % 32 !== 0)
    throw badArgument(`dynamicMatmul: group must be a multiple of 32, got ${group}`)
  const bytes = bytesIn(type)
  checkBuffers('dynamicMatmul', {
    ...bindings,
    x: [x, m * k, bytes],
    y: [y, m * n, bytes],
    ...(bias ? { bias: [bias, n, bytes] as const } : {}),
  })
  if (m * n === 0) return
  const words = Math.ceil(k / 4)
  using q = runtime.buffer({ size: 4 * m * words })
  using scales = runtime.buffer({ size: 4 * m })
  using zeros = runtime.buffer({ size: 4 * m })
  const places = { lines: m, k, group: Math.max(k, 1), groups: 1, low: -128, high: 127 }
  const own = { x, scales, zeros, ...places }
  await runtime.run(await chooseParams(runtime, type, options), { ...own, middle: 0, symmetric: 0 })
  await runtime.run(chosen(type === 'f16' ? g.quantize_int8_f16 : g.quantize_int8, options), { ...own, w: q })
  const buffers = Object.fromEntries(Object.entries(bindings).map(([name, [buffer]]) => [name, buffer]))
  const trial = trialOf(runtime, trials, ({ dynamicProblem }) => dynamicProblem(format, type), dynamicMatmul)
  await runtime.run(await proven(runtime, chosen(DYNAMIC[type][format], options), options, trial), {
    ...{ ...buffers, x: q, x_scales: scales, x_zeros: zeros, bias: bias ?? x, y },
    ...{ m, n, k, with_bias: Number(bias !== undefined), ...params },
  })
}

export interface Int8Tensor extends QuantParams {
  /** Four to a word */
  readonly data: BufferLike
}

const tensor = (data: typeof input) =>
  object<Int8Tensor>(argsOf<Int8Tensor>({ data, scale: positive, zero: integerFrom(-128, 127) }))

export interface AddInt8Args {
  readonly x: Int8Tensor
  readonly y: Int8Tensor
  /** Its data is written. */
  readonly out: Int8Tensor
  /** Elements. */
  readonly n: number
}

const ADD_INT8_ARGS = argsOf<AddInt8Args>({ x: tensor(input), y: tensor(input), out: tensor(output), n: size })

/** out = x + y of `n` int8 values, each tensor with a scale and a zero point of its own. */
export async function addInt8(runtime: Runtime, args: AddInt8Args, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'addInt8', args, ADD_INT8_ARGS, options)
  const { x, y, out, n } = args
  checkBuffers('addInt8', { x: [x.data, n, 1], y: [y.data, n, 1], out: [out.data, n, 1] })
  const params = { x_scale: x.scale, x_zero: x.zero, y_scale: y.scale, y_zero: y.zero }
  await runtime.run(chosen(g.add_int8, options), {
    ...{ x: x.data, y: y.data, out: out.data, words: Math.ceil(n / 4) },
    ...{ ...params, out_scale: out.scale, out_zero: out.zero },
  })
}

export type ReluInt8Args = Omit<AddInt8Args, 'y'>
const RELU_INT8_ARGS = argsOf<ReluInt8Args>({ x: tensor(input), out: tensor(output), n: size })

/** out = max(x, 0) of `n` int8 values, each tensor with a scale and a zero point of its own. */
export async function reluInt8(runtime: Runtime, args: ReluInt8Args, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'reluInt8', args, RELU_INT8_ARGS, options)
  const { x, out, n } = args
  checkBuffers('reluInt8', { x: [x.data, n, 1], out: [out.data, n, 1] })
  const params = { x_scale: x.scale, x_zero: x.zero, out_scale: out.scale, out_zero: out.zero }
  await runtime.run(chosen(g.relu_int8, options), { x: x.data, out: out.data, words: Math.ceil(n / 4), ...params })
}
