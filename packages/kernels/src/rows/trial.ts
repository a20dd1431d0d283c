import type { Storage } from '../parts/storage'
import { type Problem, type Result, sizeOf, sumError, trialValues } from '../problem'
import type { SoftmaxArgs } from '../softmax/host'
import { logSoftmaxReference, softmaxReference } from '../softmax/reference'
import type { CrossEntropyArgs, MeanSquaredErrorArgs, SoftmaxGradientArgs } from './host'
import {
  crossEntropyReference,
  logSoftmaxBackwardReference,
  meanSquaredErrorReference,
  softmaxBackwardReference,
} from './reference'

/** What `verify: true` asks of the kernels over rows: some rows, as wide as the kernel in question is for. */

const ROWS = 3

interface XToY {
  readonly x: never
  readonly y: never
}

/** Values in [-1, 1): their exponentials are within 2⁻²⁰ of themselves. */
const EXP = 2 ** -20

function forward<Args>(
  reference: (of: { readonly x: ArrayLike<number>; readonly rows: number; readonly cols: number }) => Float64Array,
  cols: number,
  type: Storage,
  bound: (expected: number) => number,
): Problem<Args> {
  const x = trialValues(1, ROWS * cols)
  const expected = reference({ x, rows: ROWS, cols })
  return {
    inputs: { x: { values: x, type } },
    results: { y: { expected, type, bound: (i) => bound(expected[i] as number) } },
    args: (buffers) => ({ ...(buffers as unknown as XToY), rows: ROWS, cols, type }) as Args,
  }
}

export const softmaxProblem = (cols: number, type: Storage): Problem<SoftmaxArgs> =>
  forward(softmaxReference, cols, type, (y) => (EXP + sumError(cols)) * y)

/** The logarithm of the sum is as far off as the sum is, and is rounded. */
export const logSoftmaxProblem = (cols: number, type: Storage): Problem<SoftmaxArgs> =>
  forward(logSoftmaxReference, cols, type, (y) => EXP + sumError(cols) + EXP * Math.abs(y))

const GRADIENTS = { softmax: softmaxBackwardReference, logSoftmax: logSoftmaxBackwardReference }

/** A product with a sum over the row, of which each term is at most 1; the exponential of 1 is less than 3. */
export function gradientProblem(of: keyof typeof GRADIENTS, cols: number, type: Storage): Problem<SoftmaxGradientArgs> {
  const [y, dy] = [trialValues(1, ROWS * cols), trialValues(2, ROWS * cols)]
  const expected = GRADIENTS[of]({ y, dy, rows: ROWS, cols })
  return {
    inputs: { y: { values: y, type }, dy: { values: dy, type } },
    results: { dx: { expected, type, bound: () => 3 * (EXP + sumError(cols)) * cols } },
    args: (buffers) => ({
      ...(buffers as Pick<SoftmaxGradientArgs, 'y' | 'dy' | 'dx'>),
      ...{ rows: ROWS, cols, type },
    }),
  }
}

/** With a target that leaves its row out. */
export function crossEntropyProblem(type: Storage): Problem<CrossEntropyArgs> {
  const [cols, target] = [333, [7, 332, 0xffff_ffff]]
  const x = trialValues(1, ROWS * cols)
  const { loss, lse } = crossEntropyReference({ x, target, rows: ROWS, cols })
  const result = (expected: Float64Array): Result => ({ expected, bound: () => EXP + sumError(cols) + EXP * 8 })
  return {
    inputs: { x: { values: x, type }, target: { values: target, type: 'u32' } },
    results: { loss: result(loss), lse: result(lse) },
    args: (buffers) => ({
      ...(buffers as Pick<CrossEntropyArgs, 'x' | 'target' | 'loss' | 'lse'>),
      ...{ rows: ROWS, cols, type },
    }),
  }
}

export function squaredErrorProblem(type: Storage): Problem<MeanSquaredErrorArgs> {
  const n = 1111
  const [x, y] = [trialValues(1, n), trialValues(2, n)]
  const expected = [meanSquaredErrorReference(x, y)]
  return {
    inputs: { x: { values: x, type }, y: { values: y, type } },
    results: { out: { expected, bound: () => sumError(n) * sizeOf(expected) } },
    args: (buffers) => ({ ...(buffers as Pick<MeanSquaredErrorArgs, 'x' | 'y' | 'out'>), n, type }),
  }
}
