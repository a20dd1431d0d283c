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
import { checkGroups, type Groups, type Pair, type Rows } from './shapes'

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

/**
 * Workgroups among which the rows of a gradient are spread: as many as run at once on the largest GPUs, which have 132 multiprocessors. The
 * registers of layernorm let none run beside it.
 */
const GROUPS = { layernorm: 132, rmsnorm: 264 } as const

async function rowGradients(
  runtime: Runtime,
  what: string,
  kernels: {
    readonly most: number
    readonly rows: Pair
    readonly whole?: Pair
    readonly input: Pair
    readonly weight: Pair
  },
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
    const groups = Math.min(rows, kernels.most)
    const partial = () => runtime.buffer({ size: 4 * groups * cols })
    using scales = partial()
    using shifts = partial()
    const parts = { scales, ...('dbias' in results ? { shifts } : {}) }
    const arrays = { x, weight, dy, dx, ...parts }
    const own = cols === HELD_COLUMNS ? (kernels.whole ?? kernels.rows) : kernels.rows
    const trial = trialFor(own === kernels.rows ? 76 : cols)
    await runtime.run(await proven(runtime, chosen(own[type], options), options, trial), {
      ...arrays,
      rows,
      quads: cols / 4,
      groups,
      eps,
    })
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
const LAYERNORM_BACKWARD = {
  most: GROUPS.layernorm,
  rows: { f32: g.layernorm_backward_rows, f16: g.layernorm_backward_rows_f16 },
  whole: { f32: g.layernorm_backward_rows_8192, f16: g.layernorm_backward_rows_8192_f16 },
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
const RMSNORM_BACKWARD = {
  most: GROUPS.rmsnorm,
  rows: { f32: g.rmsnorm_backward_rows, f16: g.rmsnorm_backward_rows_f16 },
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
