import { attentionReference } from '../attention/reference'
import type { Storage } from '../parts/storage'
import { type Problem, trialValues } from '../problem'
import type { AttentionUnfusedArgs } from './host'

const SIZES = { batch: 1, heads: 2, kvHeads: 1, queries: 3, keys: 77, headSize: 8, causal: true } as const

/** What `verify: true` asks of the softmax between two products; with f16, scores and weights are rounded to it. */
export function unfusedProblem(type: Storage, masked: boolean): Problem<AttentionUnfusedArgs> {
  const { heads, kvHeads, queries, keys, headSize } = SIZES
  const values = (seed: number, rows: number) => trialValues(seed, rows * headSize)
  const [q, k, v] = [values(1, heads * queries), values(2, kvHeads * keys), values(3, kvHeads * keys)]
  const lengths = [keys - 1]
  const expected = attentionReference({ ...SIZES, q, k, v, ...(masked ? { lengths } : {}) }).out
  const bound = type === 'f16' ? 2 ** -8 : 2 ** -16
  const weights = { values: new Array<number>(heads * queries * keys).fill(0), type }
  const inputs = { q: { values: q, type }, k: { values: k, type }, v: { values: v, type }, weights }
  return {
    inputs: masked ? { ...inputs, lengths: { values: lengths, type: 'u32' } } : inputs,
    results: { out: { expected, type, bound: () => bound } },
    args: (buffers) => ({
      ...(buffers as Pick<AttentionUnfusedArgs, 'q' | 'k' | 'v' | 'out' | 'weights'>),
      ...{ ...SIZES, type },
    }),
  }
}
