import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/reduce'
import { argsOf, floatType, input, listOf, maybe, number, oneOf, output, size } from '../args'
import { type Shape, sizeOf } from '../elementwise/shape'
import { type BufferLike, badArgument, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'
import { FEW_COLUMNS } from '../parts/span'
import { proven, trialOf } from '../verify'

export type ReduceOp = 'sum' | 'mean' | 'sumSquares' | 'min' | 'max' | 'variance' | 'argmax' | 'argmin' | 'any' | 'all'

export interface ReduceArgs {
  /** Row-major without gaps: f32 or f16, bools as u32 for `any` and `all`. */
  readonly x: BufferLike
  readonly shape: Shape
  /** Neighbouring axes, in order; all of them when left out. */
  readonly axes?: readonly number[]
  /** The shape without the axes: f32; u32 for indices and bools. */
  readonly out: BufferLike
  readonly type?: 'f32' | 'f16'
  /** Of `variance`: what n is less by in the divisor; 1 for the unbiased estimate. 0 when left out. */
  readonly correction?: number
}

interface Kernels {
  readonly rows: CompiledKernel
  readonly columns: CompiledKernel
}

const of = (rows: CompiledKernel, columns: CompiledKernel): Kernels => ({ rows, columns })

const KERNELS: Readonly<Record<ReduceOp, Readonly<Record<'f32' | 'f16', Kernels>>>> = {
  sum: { f32: of(g.sum_rows, g.sum_columns), f16: of(g.sum_f16_rows, g.sum_f16_columns) },
  mean: { f32: of(g.sum_rows, g.sum_columns), f16: of(g.sum_f16_rows, g.sum_f16_columns) },
  sumSquares: {
    f32: of(g.sum_squares_rows, g.sum_squares_columns),
    f16: of(g.sum_squares_f16_rows, g.sum_squares_f16_columns),
  },
  min: { f32: of(g.min_rows, g.min_columns), f16: of(g.min_f16_rows, g.min_f16_columns) },
  max: { f32: of(g.max_rows, g.max_columns), f16: of(g.max_f16_rows, g.max_f16_columns) },
  variance: { f32: of(g.variance_rows, g.variance_columns), f16: of(g.variance_f16_rows, g.variance_f16_columns) },
  argmax: { f32: of(g.argmax_rows, g.argmax_columns), f16: of(g.argmax_f16_rows, g.argmax_f16_columns) },
  argmin: { f32: of(g.argmin_rows, g.argmin_columns), f16: of(g.argmin_f16_rows, g.argmin_f16_columns) },
  any: { f32: of(g.any_rows, g.any_columns), f16: of(g.any_rows, g.any_columns) },
  all: { f32: of(g.all_rows, g.all_columns), f16: of(g.all_rows, g.all_columns) },
}

/**
 * Of a long row a workgroup takes so many bytes; what they come to is reduced again. 128 M f32 take 138 µs on an H200 by parts of 256 KiB, 131
 * of 128, 130 of 64, 131 of 32, of which 5 are for the second step; f16 74 of 128 KiB, 72 of 64, 73 of 32.
 */
const PART_BYTES = 65_536
const JOINED: Partial<Readonly<Record<ReduceOp, ReduceOp>>> = {
  sum: 'sum',
  mean: 'sum',
  sumSquares: 'sum',
  min: 'min',
  max: 'max',
  any: 'any',
  all: 'all',
}

const OP = oneOf<ReduceOp>('sum', 'mean', 'sumSquares', 'min', 'max', 'variance', 'argmax', 'argmin', 'any', 'all')
const REDUCE_ARGS = argsOf<ReduceArgs>({
  x: input,
  shape: listOf(size),
  axes: maybe(listOf(size)),
  out: output,
  type: floatType,
  correction: maybe(number),
})

/**
 * `out` = the reduction of x along neighbouring axes, in f32: `reduce(runtime, 'mean', { x, shape: [batch, channels, 32, 32], axes:
 * [2, 3], out })`. Of no elements a sum is 0, the least ∞, the greatest −∞, `all` 1, an index 0.
 *
 * @throws RangeError before anything is recorded: axes that are not neighbours, sizes, buffers that are too small, a mean or a variance
 *   of nothing
 */
export async function reduce(
  runtime: Runtime,
  op: ReduceOp,
  args: ReduceArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'reduce', args, REDUCE_ARGS, options)
  const { x, shape, axes = shape.map((_, axis) => axis), out, type = 'f32', correction = 0 } = args
  OP.check('reduce', 'op', op)
  if (op !== 'variance' && args.correction !== undefined)
    throw badArgument(`reduce: correction is of variance alone, got ${correction} with ${op}`)
  const [from = 0] = axes
  if (axes.some((axis, i) => axis !== from + i || axis < 0 || axis >= shape.length))
    throw badArgument(`reduce: axes must be neighbours in order, of 0 … ${shape.length - 1}, got [${axes.join(', ')}]`)
  const outer = sizeOf(shape.slice(0, from))
  const size = sizeOf(shape.slice(from, from + axes.length))
  const inner = sizeOf(shape.slice(from + axes.length))
  const bytes = type === 'f16' && op !== 'any' && op !== 'all' ? 2 : 4
  checkBuffers('reduce', { x: [x, outer * size * inner, bytes], out: [out, outer * inner] })
  if (outer * inner === 0) return
  const divisor = op === 'variance' ? size - correction : size
  if ((op === 'mean' || op === 'variance') && divisor <= 0)
    throw badArgument(
      `reduce: there is no ${op} of ${size} elements${correction === 0 ? '' : ` with a correction of ${correction}`}`,
    )
  const scale = op === 'mean' || op === 'variance' ? 1 / divisor : 1
  const params = { ...(op === 'variance' ? { inverse: 1 / size } : {}), ...(hasScale(op) ? { scale } : {}) }
  const first = hasScale(op) ? { scale: 1 } : {}
  const again = JOINED[op]
  const { columns } = KERNELS[op][type]
  // rows of few elements go as columns: one takes eight invocations, and a row 256
  const isFew = outer > 1 && size > 0 && size <= FEW_COLUMNS
  if (inner > 1 || isFew) {
    const parts = again === undefined ? 1 : partsOf(outer * inner, size)
    const shape = { outer, size, inner, parts }
    if (parts === 1) {
      await runtime.run(chosen(columns, options), { x, out, ...shape, ...params })
      return
    }
    using partial = runtime.buffer({ size: 4 * outer * parts * inner })
    await runtime.run(chosen(columns, options), { x, out: partial, ...shape, ...first })
    const joined = KERNELS[again as ReduceOp].f32.columns
    await runtime.run(chosen(joined, options), { x: partial, out, outer, size: parts, inner, parts: 1, ...params })
    return
  }
  const rows = await rowsKernel(runtime, op, type, options)
  const part = PART_BYTES / bytes
  if (outer > 1 || size <= part || again === undefined) {
    await runtime.run(rows, { x, out, rows: outer, size, n: outer * size, ...params })
    return
  }
  const parts = Math.ceil(size / part)
  using partial = runtime.buffer({ size: 4 * parts })
  await runtime.run(rows, { x, out: partial, rows: parts, size: part, n: size, ...first })
  const joined = await rowsKernel(runtime, again, 'f32', options)
  await runtime.run(joined, { x: partial, out, rows: 1, size: parts, n: parts, ...params })
}

/** The kernel that reduces rows; with `verify`, by variants that are right. */
export const rowsKernel = (
  runtime: Runtime,
  op: ReduceOp,
  type: 'f32' | 'f16',
  options: HostOptions,
): Promise<CompiledKernel> =>
  proven(
    runtime,
    chosen(KERNELS[op][type].rows, options),
    options,
    trialOf(
      runtime,
      () => import('./trial'),
      ({ reduceProblem }) => reduceProblem(op, type),
      (_, small, only) => reduce(runtime, op, small, only),
    ),
  )

/**
 * So many columns fill a device; fewer are cut, into parts of at least 256 elements. The 8,192 columns of 16,384 rows of f32 take 135 µs on an H200
 * by 2 parts, 139 by 4, 130 by 8, 131 by 16.
 */
const COLUMNS = 65_536
const partsOf = (columns: number, size: number): number =>
  Math.max(1, Math.min(Math.ceil(COLUMNS / columns), Math.floor(size / 256)))

const hasScale = (op: ReduceOp): boolean => op === 'sum' || op === 'mean' || op === 'sumSquares' || op === 'variance'
