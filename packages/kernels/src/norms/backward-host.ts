import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/norms'
import { sum_columns } from '../../generated/reduce'
import { argsOf, count, floatType, input, maybe, notNegative, output, size } from '../args'
import {
  type BufferLike,
  bytesIn,
  bytesOf,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { HELD_COLUMNS } from '../parts/span'
import { proven, type TrialOf, trialOf } from '../verify'
import { checkGroups, type Groups, type NormType, type Pair, type Rows } from './shapes'

const trials = () => import('./trial')

interface Gradients {
  /** What went in. */
  readonly x: BufferLike
  readonly weight: BufferLike
  /** The gradient of the result. */
  readonly dy: BufferLike
  /** Written, as large as x. */
  readonly dx: BufferLike
  /** [channels], f32, written. */
  readonly dweight: BufferLike
}

export interface RowGradientArgs extends Gradients, Rows {}
export interface LayernormBackwardArgs extends RowGradientArgs {
  /** [cols], f32, written. */
  readonly dbias: BufferLike
}
export interface GroupnormBackwardArgs extends Gradients, Groups {
  /** [channels], f32, written. */
  readonly dbias: BufferLike
}

type Widest = 1024 | 2048 | 8192

/** The kernels of a gradient: by whole rows, by the widest rows that they take, and those for rows that are wider or begin anywhere. */
interface RowKernels {
  readonly rows: Readonly<Record<NormType, Readonly<Record<Widest, CompiledKernel>>>>
  /** Workgroups that run at once on a multiprocessor, by how many vec4f of a row an invocation has, from one to eight. */
  readonly atOnce: readonly number[]
  readonly input: Pair
  readonly weight: Pair
}

/** So many columns as show whether the kernel is right that takes rows as wide as that. */
const TRIAL: Readonly<Record<Widest, number>> = { 1024: 76, 2048: 1036, 8192: 2060 }

/** Multiprocessors of the largest GPUs. */
const MULTIPROCESSORS = 132

/** The widest rows of the kernel for rows of so many columns, and the workgroups among which rows are spread: as many as run at once. */
function spread(cols: number, atOnce: readonly number[]): { readonly widest: Widest; readonly groups: number } {
  if (cols <= 1024) return { widest: 1024, groups: 8 * MULTIPROCESSORS }
  if (cols <= 2048) return { widest: 2048, groups: 4 * MULTIPROCESSORS }
  return { widest: 8192, groups: (atOnce[Math.ceil(cols / 1024) - 1] ?? 1) * MULTIPROCESSORS }
}

async function rowGradients(
  runtime: Runtime,
  what: string,
  kernels: RowKernels,
  args: RowGradientArgs,
  results: Readonly<Record<string, BufferLike>>,
  options: HostOptions,
  trialFor: (cols: number) => TrialOf,
): Promise<void> {
  const { x, weight, dy, dx, rows, cols, eps = 1e-5, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers(what, {
    x: [x, n, bytes],
    weight: [weight, cols, bytes],
    dy: [dy, n, bytes],
    dx: [dx, n, bytes],
    ...Object.fromEntries(Object.entries(results).map(([name, buffer]) => [name, [buffer, cols] as const])),
  })
  if (cols === 0) return
  const buffers = [x, weight, dy, dx]
  if (rows > 0 && cols % 4 === 0 && cols <= HELD_COLUMNS && buffers.every((b) => bytesOf(b) % (4 * bytes) === 0)) {
    const { widest, groups: most } = spread(cols, kernels.atOnce)
    const groups = Math.min(rows, most)
    const partial = () => runtime.buffer({ size: 4 * groups * cols })
    using scales = partial()
    using shifts = partial()
    const arrays = { x, weight, dy, dx, scales, ...('dbias' in results ? { shifts } : {}) }
    const own = await proven(runtime, chosen(kernels.rows[type][widest], options), options, trialFor(TRIAL[widest]))
    await runtime.run(own, { ...arrays, rows, groups, eps }, { overrides: { quads: cols / 4 } })
    const sums = { outer: 1, size: groups, inner: cols, parts: 1, scale: 1 }
    for (const [part, out] of [
      [scales, results.dweight],
      [shifts, results.dbias],
    ])
      if (part && out) await runtime.run(chosen(sum_columns, options), { x: part, out, ...sums })
    return
  }
  using stats = runtime.buffer({ size: 8 * Math.max(1, rows) })
  const ofInput = await proven(runtime, chosen(kernels.input[type], options), options, trialFor(77))
  if (rows > 0) await runtime.run(ofInput, { x, weight, dy, dx, stats, rows, cols, eps })
  await runtime.run(chosen(kernels.weight[type], options), { x, dy, stats, ...results, rows, cols })
}

const LAYERNORM_BACKWARD_ARGS = argsOf<LayernormBackwardArgs>({
  x: input,
  weight: input,
  dy: input,
  dx: output,
  dweight: output,
  dbias: output,
  rows: size,
  cols: size,
  eps: maybe(notNegative),
  type: floatType,
})
const LAYERNORM_BACKWARD: RowKernels = {
  atOnce: [2, 2, 2, 2, 2, 1, 1, 1],
  rows: {
    f32: {
      1024: g.layernorm_backward_rows_1024,
      2048: g.layernorm_backward_rows_2048,
      8192: g.layernorm_backward_rows_8192,
    },
    f16: {
      1024: g.layernorm_backward_rows_1024_f16,
      2048: g.layernorm_backward_rows_2048_f16,
      8192: g.layernorm_backward_rows_8192_f16,
    },
  },
  input: { f32: g.layernorm_backward, f16: g.layernorm_backward_f16 },
  weight: { f32: g.layernorm_backward_weight, f16: g.layernorm_backward_weight_f16 },
}

/** The gradients of layernorm by x, weight and bias. */
export async function layernormBackward(
  runtime: Runtime,
  args: LayernormBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  const what = 'layernormBackward'
  checkCall(runtime, what, args, LAYERNORM_BACKWARD_ARGS, options)
  const { dweight, dbias, type = 'f32' } = args
  const trialFor = (cols: number) =>
    trialOf(
      runtime,
      trials,
      ({ rowGradientProblem }) => rowGradientProblem<LayernormBackwardArgs>(cols, type, true),
      layernormBackward,
    )
  await rowGradients(runtime, what, LAYERNORM_BACKWARD, args, { dweight, dbias }, options, trialFor)
}

const RMSNORM_BACKWARD_ARGS = argsOf<RowGradientArgs>({
  x: input,
  weight: input,
  dy: input,
  dx: output,
  dweight: output,
  rows: size,
  cols: size,
  eps: maybe(notNegative),
  type: floatType,
})
const RMSNORM_BACKWARD: RowKernels = {
  atOnce: [3, 3, 3, 2, 2, 2, 2, 2],
  rows: {
    f32: { 1024: g.rmsnorm_backward_rows_1024, 2048: g.rmsnorm_backward_rows_2048, 8192: g.rmsnorm_backward_rows_8192 },
    f16: {
      1024: g.rmsnorm_backward_rows_1024_f16,
      2048: g.rmsnorm_backward_rows_2048_f16,
      8192: g.rmsnorm_backward_rows_8192_f16,
    },
  },
  input: { f32: g.rmsnorm_backward, f16: g.rmsnorm_backward_f16 },
  weight: { f32: g.rmsnorm_backward_weight, f16: g.rmsnorm_backward_weight_f16 },
}

/** The gradients of rmsnorm by x and weight. */
export async function rmsnormBackward(
  runtime: Runtime,
  args: RowGradientArgs,
  options: HostOptions = {},
): Promise<void> {
  const what = 'rmsnormBackward'
  checkCall(runtime, what, args, RMSNORM_BACKWARD_ARGS, options)
  const { dweight, type = 'f32' } = args
  const trialFor = (cols: number) =>
    trialOf(
      runtime,
      trials,
      ({ rowGradientProblem }) => rowGradientProblem<RowGradientArgs>(cols, type, false),
      rmsnormBackward,
    )
  await rowGradients(runtime, what, RMSNORM_BACKWARD, args, { dweight }, options, trialFor)
}

const GROUP_INPUT: Pair = { f32: g.groupnorm_backward, f16: g.groupnorm_backward_f16 }
const GROUP_WEIGHT: Pair = { f32: g.groupnorm_backward_weight, f16: g.groupnorm_backward_weight_f16 }

const GROUPNORM_BACKWARD_ARGS = argsOf<GroupnormBackwardArgs>({
  dbias: output,
  x: input,
  weight: input,
  dy: input,
  dx: output,
  dweight: output,
  items: size,
  channels: size,
  places: size,
  groups: count,
  eps: maybe(notNegative),
  type: floatType,
})

/** The gradients of groupnorm by x, weight and bias. */
export async function groupnormBackward(
  runtime: Runtime,
  args: GroupnormBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'groupnormBackward', args, GROUPNORM_BACKWARD_ARGS, options)
  const { x, weight, dy, dx, dweight, dbias, eps = 1e-5, type = 'f32', ...shape } = args
  checkGroups('groupnormBackward', shape)
  const { items, channels, places, groups } = shape
  const [n, bytes] = [items * channels * places, bytesIn(type)]
  checkBuffers('groupnormBackward', {
    x: [x, n, bytes],
    weight: [weight, channels, bytes],
    dy: [dy, n, bytes],
    dx: [dx, n, bytes],
    dweight: [dweight, channels],
    dbias: [dbias, channels],
  })
  if (channels === 0) return
  const rows = items * groups
  using stats = runtime.buffer({ size: 8 * Math.max(1, rows) })
  const cols = (channels / groups) * places
  const trial = trialOf(runtime, trials, ({ groupGradientProblem }) => groupGradientProblem(type), groupnormBackward)
  const ofInput = await proven(runtime, chosen(GROUP_INPUT[type], options), options, trial)
  const ofWeight = await proven(runtime, chosen(GROUP_WEIGHT[type], options), options, trial)
  if (n > 0) await runtime.run(ofInput, { x, weight, dy, dx, stats, rows, cols, eps, groups, places })
  const params = { items, groups, channels: channels / groups, places }
  await runtime.run(ofWeight, { x, dy, stats, dweight, dbias, ...params })
}
