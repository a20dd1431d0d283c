import type { RmsnormArgs } from '../norm/host'
import { rmsnormReference } from '../norm/reference'
import type { Storage } from '../parts/storage'
import { type Problem, type ProblemType, type Result, sizeOf, sumError, trialValues } from '../problem'
import type { GroupnormBackwardArgs, LayernormBackwardArgs, RowGradientArgs } from './backward-host'
import type { GroupnormArgs, LayernormArgs, ResidualRmsnormArgs } from './host'
import { normBackwardReference, normReference } from './reference'

/**
 * What `verify: true` asks of the norms: some rows, as wide as the kernel in question is for, and some groups. What is normalized is at most 4
 * here, and as far off as the sums over a row are; a gradient has products of three such values.
 */

const ROWS = 3
const EPS = 1e-5
const ITEMS = { items: 2, channels: 6, places: 35, groups: 2 } as const

const within = (expected: Float64Array, error: number, type: ProblemType = 'f32'): Result => {
  const bound = 4 * error * Math.max(sizeOf(expected), 1)
  return { expected, type, bound: () => bound }
}
const input = (values: ArrayLike<number>, type: ProblemType) => ({ values, type })
const asRows = (cols: number) => ({ items: ROWS, channels: cols, places: 1, groups: 1, eps: EPS })

export function rmsnormProblem(cols: number, type: Storage): Problem<RmsnormArgs> {
  const [x, weight] = [trialValues(1, ROWS * cols), trialValues(2, cols)]
  const expected = rmsnormReference({ x, weight, rows: ROWS, cols, eps: EPS })
  return {
    inputs: { x: input(x, type), weight: input(weight, type) },
    results: { y: within(expected, sumError(cols), type) },
    args: (buffers) => ({ ...(buffers as Pick<RmsnormArgs, 'x' | 'weight' | 'y'>), rows: ROWS, cols, eps: EPS, type }),
  }
}

export function layernormProblem(cols: number, type: Storage): Problem<LayernormArgs> {
  const [x, weight, bias] = [trialValues(1, ROWS * cols), trialValues(2, cols), trialValues(3, cols)]
  const expected = normReference({ ...asRows(cols), x, weight, bias, centered: true })
  return {
    inputs: { x: input(x, type), weight: input(weight, type), bias: input(bias, type) },
    results: { y: within(expected, sumError(cols), type) },
    args: (buffers) => ({
      ...(buffers as Pick<LayernormArgs, 'x' | 'weight' | 'bias' | 'y'>),
      ...{ rows: ROWS, cols, eps: EPS, type },
    }),
  }
}

export function residualProblem(cols: number, type: Storage): Problem<ResidualRmsnormArgs> {
  // halves, so that their sum is a number of f16 too
  const [x, before] = [1, 2].map((seed) => trialValues(seed, ROWS * cols).map((v) => Math.round(v * 512) / 1024))
  const [a, b] = [x as Float32Array, before as Float32Array]
  const weight = trialValues(3, cols)
  const sum = Float64Array.from(a, (v, i) => v + (b[i] as number))
  const expected = rmsnormReference({ x: sum, weight, rows: ROWS, cols, eps: EPS })
  return {
    inputs: { x: input(a, type), weight: input(weight, type) },
    results: {
      residual: { expected: sum, type, start: b, bound: () => 0 },
      y: within(expected, sumError(cols), type),
    },
    args: (buffers) => ({
      ...(buffers as Pick<ResidualRmsnormArgs, 'x' | 'residual' | 'weight' | 'y'>),
      ...{ rows: ROWS, cols, eps: EPS, type },
    }),
  }
}

export function groupnormProblem(type: Storage): Problem<GroupnormArgs> {
  const { items, channels, places, groups } = ITEMS
  const [x, weight, bias] = [
    trialValues(1, items * channels * places),
    trialValues(2, channels),
    trialValues(3, channels),
  ]
  const expected = normReference({ ...ITEMS, eps: EPS, x, weight, bias, centered: true })
  return {
    inputs: { x: input(x, type), weight: input(weight, type), bias: input(bias, type) },
    results: { y: within(expected, sumError((channels / groups) * places), type) },
    args: (buffers) => ({
      ...(buffers as Pick<GroupnormArgs, 'x' | 'weight' | 'bias' | 'y'>),
      ...{ ...ITEMS, eps: EPS, type },
    }),
  }
}

function gradientsOf(shape: Parameters<typeof normReference>[0], type: Storage, size: number) {
  const { items, channels, places } = shape
  const dy = trialValues(3, items * channels * places)
  const { dx, dweight, dbias } = normBackwardReference({ ...shape, dy })
  const error = sumError(Math.max(size, items * places))
  return {
    inputs: { x: input(shape.x, type), weight: input(shape.weight, type), dy: input(dy, type) },
    results: { dx: within(dx, 4 * error, type), dweight: within(dweight, 4 * error) },
    dbias: within(dbias, 4 * error),
  }
}

type Gradients = 'x' | 'weight' | 'dy' | 'dx' | 'dweight'

/** The gradients of layernorm, or without `centered` of rmsnorm, which has no bias. */
export function rowGradientProblem<Args extends RowGradientArgs | LayernormBackwardArgs>(
  cols: number,
  type: Storage,
  centered: boolean,
): Problem<Args> {
  const given = { x: trialValues(1, ROWS * cols), weight: trialValues(2, cols) }
  const { inputs, results, dbias } = gradientsOf({ ...asRows(cols), ...given, centered }, type, cols)
  return {
    inputs,
    results: centered ? { ...results, dbias } : results,
    args: (buffers) => ({ ...(buffers as Pick<RowGradientArgs, Gradients>), rows: ROWS, cols, eps: EPS, type }) as Args,
  }
}

export function groupGradientProblem(type: Storage): Problem<GroupnormBackwardArgs> {
  const { items, channels, places, groups } = ITEMS
  const given = { x: trialValues(1, items * channels * places), weight: trialValues(2, channels) }
  const shape = { ...ITEMS, ...given, eps: EPS, centered: true }
  const { inputs, results, dbias } = gradientsOf(shape, type, (channels / groups) * places)
  return {
    inputs,
    results: { ...results, dbias },
    args: (buffers) => ({
      ...(buffers as Pick<GroupnormBackwardArgs, Gradients | 'dbias'>),
      ...{ ...ITEMS, eps: EPS, type },
    }),
  }
}
