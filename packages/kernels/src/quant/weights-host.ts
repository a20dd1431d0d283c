import type { CompiledKernel } from '@weft/codegen'
import { argsOf } from '../args'
import {
  type BufferLike,
  bytesIn,
  type ChoiceOptions,
  checkBuffers,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { kernel, kernels, tuning, verify } from '../options'
import type { Storage } from '../parts/storage'
import { type Tuning, tuningFor, tuningTo } from '../tuning'
import { passes, proven, type TrialOf } from '../verify'
import { chooseFewRows, type FewRows, fewRowsName, heldRows, rowsAtOnce } from './choose'
import { chooseMatrixRows, hasMatrices, matricesName } from './matrix-tiles'
import type { MatmulShape } from './trial'

/** What weights of some format are on the device: their sizes, and bindings and params of the format by the kernels' names. */
export interface Bound {
  readonly format: string
  readonly n: number
  readonly k: number
  /** With the elements that each must have, and their size in bytes. */
  readonly bindings: Readonly<Record<string, readonly [buffer: BufferLike, elements: number, bytes: number]>>
  readonly params: Readonly<Record<string, number>>
  /** The params of the kernels that read whole lines, where these weights can be read so. */
  readonly lines?: Readonly<Record<string, number>> | undefined
}

type Kernels = Readonly<Record<string, CompiledKernel>>

const kernelOf = (kernels: Kernels, name: string, { format }: Bound, type: Storage, options: HostOptions) =>
  chosen(kernels[`${name}_${format}${type === 'f16' ? '_f16' : ''}`] as CompiledKernel, options)

const buffersOf = ({ bindings }: Bound) =>
  Object.fromEntries(Object.entries(bindings).map(([name, [buffer]]) => [name, buffer]))

export interface WeightsTo {
  /** [n, k], written */
  readonly y: BufferLike
  /** Of y; f32 when left out. */
  readonly type?: Storage
}

export async function runDequantize(
  runtime: Runtime,
  kernels: Kernels,
  what: string,
  weights: Bound,
  { y, type = 'f32' }: WeightsTo,
  options: HostOptions,
): Promise<void> {
  const { n, k } = weights
  const bytes = bytesIn(type)
  checkBuffers(what, { ...weights.bindings, y: [y, n * k, bytes] })
  const args = { ...buffersOf(weights), y, n, k, ...weights.params }
  await runtime.run(kernelOf(kernels, 'dequantize', weights, type, options), args)
}

export interface WeightsAt extends WeightsTo {
  /** u32: [count] */
  readonly index: BufferLike
  readonly count: number
}

export async function runEmbedding(
  runtime: Runtime,
  kernels: Kernels,
  what: string,
  weights: Bound,
  { y, index, count, type = 'f32' }: WeightsAt,
  options: HostOptions,
): Promise<void> {
  const { n, k } = weights
  const bytes = bytesIn(type)
  checkBuffers(what, { ...weights.bindings, index: [index, count], y: [y, count * k, bytes] })
  const args = { ...buffersOf(weights), index, y, n, k, count, ...weights.params }
  await runtime.run(kernelOf(kernels, 'embedding', weights, type, options), args)
}

export interface WeightsBy {
  /** [m, k] */
  readonly x: BufferLike
  /** [n], in the type of x */
  readonly bias?: BufferLike
  /** [m, n], written */
  readonly y: BufferLike
  readonly m: number
  /** Of x, bias and y; f32 when left out. */
  readonly type?: Storage
}

export interface QuantizedMatmulOptions extends HostOptions, ChoiceOptions {}
export const MATMUL_OPTIONS = argsOf<QuantizedMatmulOptions>({ kernel, kernels, verify, tuning })

/** Few rows are products of a row of weights each; more are tiles. */
const FEW = 8

/** The kernel for so many rows of x, by its name without format and type. Pure. */
export const chooseQuantMatmul = (m: number): 'matvec1' | 'matvec4' | 'matmul' =>
  m <= 1 ? 'matvec1' : m <= FEW ? 'matvec4' : 'matmul'

/** More rows than that are worth subgroup matrices, where a device has them. */
const FEW_LINES = 4

/** What makes 32 values of int4 one load of 16 bytes with one scale, or null: the binary logarithm of the group. Pure. */
export const linesOfGroups = (k: number, group: number): number | null =>
  k % 32 === 0 && group % 32 === 0 && Number.isInteger(Math.log2(group)) ? Math.log2(group) : null

export async function runMatmul(
  runtime: Runtime,
  kernels: Kernels,
  what: string,
  weights: Bound,
  { x, bias, y, m, type = 'f32' }: WeightsBy,
  { tuning, ...options }: QuantizedMatmulOptions,
  trial: MatmulTrial,
): Promise<void> {
  const { n, k } = weights
  const bytes = bytesIn(type)
  checkBuffers(what, {
    ...weights.bindings,
    x: [x, m * k, bytes],
    y: [y, m * n, bytes],
    ...(bias ? { bias: [bias, n, bytes] as const } : {}),
  })
  const matrices =
    m > FEW_LINES && type === 'f16' ? await matricesFor(runtime, kernels, weights, m, options, trial) : null
  const measured = tuning === null ? undefined : (tuning ?? tuningFor(runtime.info))
  const few = { format: weights.format, type, m, n, k }
  const bytesFirst = !matrices && weights.lines && chooseFewRows(few, runtime.info, measured) === 'held'
  const held = bytesFirst ? await rowsFor(runtime, kernels, weights, 'held', { m, type }, options, trial) : null
  const lines = matrices || held || chooseQuantMatmul(m) !== 'matmul' ? weights.lines : undefined
  const kernel = matrices ?? held ?? (await rowsFor(runtime, kernels, weights, 'lines', { m, type }, options, trial))
  // without a bias x stands in for it, and is not read
  const args = { x, bias: bias ?? x, y, m, n, k, with_bias: Number(bias !== undefined) }
  const rows = held ? { rows: heldRows(few) } : {}
  await runtime.run(kernel as CompiledKernel, { ...buffersOf(weights), ...args, ...(lines ?? weights.params), ...rows })
}

/** The trial by a small product with weights of the same format. */
export type MatmulTrial = (shape: MatmulShape) => TrialOf

/** A tuning by which a small product with weights of a format goes as its shape says. */
export const tuningOfShape = (format: string, { m, fewRows, type }: MatmulShape): Tuning =>
  tuningTo((name) => name === fewRowsName(format, m, fewRows, type))

/** Rows of x that go to each kernel; `long` takes what `few` does. */
const TRIAL_ROWS = { few: 13, long: 13, some: 37, many: 131 } as const

/**
 * The kernel for rows of x by themselves, or in portable tiles; with `verify`, where it is right. That of two rows in bytes has no portable
 * variant: null where it is wrong.
 */
async function rowsFor(
  runtime: Runtime,
  kernels: Kernels,
  weights: Bound,
  fewRows: FewRows,
  { m, type }: { readonly m: number; readonly type: Storage },
  options: HostOptions,
  trial: MatmulTrial,
): Promise<CompiledKernel | null> {
  const way = chooseQuantMatmul(m)
  const lines = (way !== 'matmul' || fewRows === 'held') && weights.lines !== undefined
  const name = lines ? `matvec${rowsAtOnce(m, fewRows)}` : way
  const format = lines ? { ...weights, format: `${weights.format}_${fewRows}` } : weights
  const own = kernelOf(kernels, name, format, type, options)
  // of no columns there is nothing to be added up
  if (weights.k === 0) return own
  const small = trial({ m: way === 'matvec1' ? 1 : 3, n: 5, lines, fewRows, rounded: false, type })
  if (name === 'matvec2') return (await passes(runtime, own, options, small)) ? own : null
  return proven(runtime, own, options, small)
}

/** The kernel of subgroup matrices, where the device has them and the weights can be read by lines; with `verify`, where it is right. */
async function matricesFor(
  runtime: Runtime,
  kernels: Kernels,
  { format, lines, n }: Bound,
  m: number,
  options: HostOptions,
  trial: MatmulTrial,
): Promise<CompiledKernel | null> {
  if (!lines || !hasMatrices(runtime.info)) return null
  const rows = chooseMatrixRows(m, n)
  const kernel = chosen(kernels[matricesName(format, rows)] as CompiledKernel, options)
  const shape = { m: TRIAL_ROWS[rows], n: 70, lines: true, fewRows: 'lines', rounded: true, type: 'f16' } as const
  const as = matricesName(format, rows === 'long' ? 'few' : rows)
  return (await passes(runtime, kernel, options, trial(shape), { as })) ? kernel : null
}
