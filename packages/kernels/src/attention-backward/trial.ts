import { attentionReference } from '../attention/reference'
import type { Storage } from '../parts/storage'
import { type Problem, type ProblemType, sizeOf, trialValues } from '../problem'
import type { AttentionBackwardArgs } from './host'
import { attentionBackwardReference } from './reference'

type Names = 'q' | 'k' | 'v' | 'out' | 'lse' | 'dout' | 'dq' | 'dk' | 'dv'

/** More than a tile of queries and of keys, no multiple of any, and two query heads for one of keys. */
const LARGE = { batch: 1, heads: 2, kvHeads: 1, queries: 69, keys: 83, causal: true } as const
/** Enough for the kernel of the rows. */
const SMALL = { ...LARGE, queries: 3, keys: 5 } as const

export interface BackwardProblemOptions {
  readonly masked?: boolean
  readonly large?: boolean
  /** The results that count; others are computed too. */
  readonly judged?: readonly string[]
}

/**
 * What `verify: true` asks of a kernel: the gradients of a small problem. Sums of some hundred products in f32 are off by less than 2⁻¹² of the
 * greatest of them; f16 has 11 bits for out, the weights and their gradients, each of which adds up over the head.
 */
export function backwardProblem(
  headSize: number,
  type: Storage,
  { masked = false, large = false, judged = ['dq', 'dk', 'dv'] }: BackwardProblemOptions = {},
): Problem<AttentionBackwardArgs> {
  const sizes = { ...(large ? LARGE : SMALL), headSize }
  const { heads, kvHeads, queries, keys } = sizes
  const values = (seed: number, rows: number) => trialValues(seed, rows * headSize)
  const arrays = { q: values(1, heads * queries), k: values(2, kvHeads * keys), v: values(3, kvHeads * keys) }
  const dout = values(4, heads * queries)
  const lengths = [keys - 1]
  const given = { ...sizes, ...arrays, ...(masked ? { lengths } : {}) }
  const { out, lse } = attentionReference(given)
  const gradients = attentionBackwardReference({ ...given, dout })
  const part = type === 'f16' ? 2 ** -7 : 2 ** -12
  const input = (of: ArrayLike<number>, own: ProblemType = type) => ({ values: of, type: own })
  const results = Object.entries({ dq: gradients.dq, dk: gradients.dk, dv: gradients.dv })
  const counted = results.filter(([name]) => judged.includes(name))
  const others = results.filter(([name]) => !judged.includes(name))
  return {
    inputs: {
      ...{ q: input(arrays.q), k: input(arrays.k), v: input(arrays.v) },
      ...{ out: input(out), lse: input(lse, 'f32'), dout: input(dout) },
      ...(masked ? { lengths: input(lengths, 'u32') } : {}),
      ...Object.fromEntries(others.map(([name, { length }]) => [name, input(new Float64Array(length))])),
    },
    results: Object.fromEntries(
      counted.map(([name, expected]) => [name, { expected, type, bound: () => part * sizeOf(expected) }]),
    ),
    args: (buffers) => ({ ...(buffers as Pick<AttentionBackwardArgs, Names>), ...sizes, type }),
  }
}
