import { attentionReference } from '../attention/reference'
import type { Storage } from '../parts/storage'
import { type Problem, STEP, trialValues } from '../problem'
import type { AttentionDecodeArgs } from './host'

/** Query heads that share keys fill no group of four, and keys no round of a workgroup; in two splits, which are joined. */
const SIZES = { batch: 1, heads: 6, kvHeads: 2, keys: 75 } as const

/** What `verify: true` asks of a kernel: one query for each head over a small cache, with the keys of each batch where that is its form. */
export function decodeProblem(
  headSize: number,
  type: Storage,
  cacheType: Storage,
  { lengths = false, capped = false } = {},
): Problem<AttentionDecodeArgs> {
  const { heads, kvHeads, keys } = SIZES
  const values = (seed: number, rows: number) => trialValues(seed, rows * headSize)
  const [q, k, v] = [values(1, heads), values(2, kvHeads * keys), values(3, kvHeads * keys)]
  const sight = capped ? { softCap: 2 } : {}
  const expected = attentionReference({ ...SIZES, ...sight, queries: 1, headSize, q, k, v }).out
  // a score is a product over the head, a weight its exponential, an output a mean by weights; tanh is off by 1e-5
  const bound = (headSize + 4) * STEP * Math.sqrt(headSize) + (keys + 4) * STEP + 2 ** -16 + (capped ? 4e-5 : 0)
  const lists = lengths ? { lengths: { values: [keys], type: 'u32' } as const } : {}
  return {
    inputs: { q: { values: q, type }, k: { values: k, type: cacheType }, v: { values: v, type: cacheType }, ...lists },
    results: { out: { expected, type, bound: () => 2 * bound } },
    args: (buffers) => ({
      ...(buffers as Pick<AttentionDecodeArgs, 'q' | 'k' | 'v' | 'out'>),
      ...{ ...SIZES, ...sight, headSize, type, cacheType, splits: 2 },
    }),
  }
}
