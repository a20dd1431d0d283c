import { type Problem, STEP, sumError, trialValues } from '../problem'
import type { ReduceArgs, ReduceOp } from './host'
import { reduceFunctions, reduceReference } from './reference'

const [ROWS, SIZE] = [5, 333]

/** What `verify: true` asks of the kernels that reduce rows. */
export function reduceProblem(op: ReduceOp, type: 'f32' | 'f16'): Problem<ReduceArgs> {
  const isBool = op === 'any' || op === 'all'
  // a row of 0 alone, one of 1 alone, and rows with both
  const bools = Array.from(
    { length: ROWS * SIZE },
    (_, i) => [0, 1, Number(i % SIZE === 7), Number(i % SIZE !== 300), 1][Math.floor(i / SIZE)]!,
  )
  const x = isBool ? bools : trialValues(1, ROWS * SIZE)
  const expected = reduceReference(reduceFunctions[op], { x, outer: ROWS, size: SIZE, inner: 1 })
  const isWord = isBool || op === 'argmax' || op === 'argmin'
  // sums of terms of at most 1, and of squares of differences of at most 2; the others are one of the elements, or an index
  const [sums, means] = [op === 'sum' || op === 'sumSquares', op === 'mean' || op === 'variance']
  const bound = sums ? sumError(SIZE) * SIZE : means ? 4 * sumError(SIZE) + STEP : 0
  return {
    inputs: { x: { values: x, type: isBool ? 'u32' : type } },
    results: { out: { expected, type: isWord ? 'u32' : 'f32', bound: () => bound } },
    args: (buffers) => ({
      ...(buffers as Pick<ReduceArgs, 'x' | 'out'>),
      ...{ shape: [ROWS, SIZE], axes: [1], type: isBool ? 'f32' : type },
    }),
  }
}
