import type { Storage } from '../parts/storage'
import { type Problem, STEP, trialValues } from '../problem'
import type { AttentionArgs } from './host'
import { attentionReference } from './reference'

/** More than a tile of queries and of keys, no multiple of any, and two query heads for one of keys. */
const SIZES = { batch: 1, heads: 2, kvHeads: 1, queries: 69, keys: 83, causal: true } as const

/**
 * How far an output may be off for |q|, |k|, |v| ≤ 1 and scale 1/√d. A score is a product of d terms, each off by a step where matrix units
 * cut sums off; a weight e^s is off by the error of its score and that of exp, an output is a mean of values by weights. With f16,
 * weights are rounded to f16, and so is the output.
 */
function boundOf(type: Storage, headSize: number): number {
  const score = (headSize + 4) * STEP * Math.sqrt(headSize)
  const sums = (SIZES.keys + 4) * STEP
  return 2 * (score + sums) + 2 ** -16 + (type === 'f16' ? 2 ** -10 : 0)
}

/** What `verify: true` asks of a fast kernel. */
export function attentionProblem(headSize: number, type: Storage): Problem<AttentionArgs> {
  const { heads, kvHeads, queries, keys } = SIZES
  const values = (seed: number, rows: number) => trialValues(seed, rows * headSize)
  const [q, k, v] = [values(1, heads * queries), values(2, kvHeads * keys), values(3, kvHeads * keys)]
  const expected = attentionReference({ ...SIZES, headSize, q, k, v }).out
  const bound = boundOf(type, headSize)
  return {
    inputs: { q: { values: q, type }, k: { values: k, type }, v: { values: v, type } },
    results: { out: { expected, type, bound: () => bound } },
    args: (buffers) => ({
      ...(buffers as Pick<AttentionArgs, 'q' | 'k' | 'v' | 'out'>),
      ...SIZES,
      headSize,
      type,
    }),
  }
}
