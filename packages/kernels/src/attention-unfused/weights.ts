import { bool, d, type Expr, f32, fn, input, kernel, output, u32 } from '@weft/dsl'
import {
  keysSeen,
  type Lengths,
  lengthOf,
  PAIR_PARAMS,
  type Pairs,
  pairInputs,
  pairsOf,
  softCapped,
} from '../attention/sight'
import { LOWEST } from '../attention-flash/lowest'
import { MAX, REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * weights = softmax(softcap(scores)) over the keys that each query sees: the middle of attention by two products, for those who want to look at
 * the weights, and as a second opinion on the fused kernels.
 *
 *     scores, weights: [batch · heads, queries, keys], in place or not; scores are scaled already
 *
 * As in `softmax` a workgroup takes a row, in three passes: maximum, sum, result. Query i, at position i + past, sees the keys that
 * `keysSeen` says; the others get weight 0 and are not read. A row that sees none is zeros.
 *
 * The masked form has lengths, a bias and a mask in addition, as the fused kernel has them.
 */
const weightsOf = (storage: Storage, masked: boolean) =>
  kernel(
    named(masked ? 'attention_weights_masked' : 'attention_weights', storage),
    {
      doc: `weights[row, :] = softmax(softcap(scores[row, :])${masked ? ' + bias' : ''}) over the keys that the query of the row sees, 0 for the others`,
      workgroupSize: [256],
      bindings: {
        scores: input(scalars(storage)),
        weights: output(scalars(storage)),
        ...((masked ? pairInputs() : {}) as Record<never, never>),
      },
      params: {
        rows: d.u32,
        queries: d.u32,
        keys: d.u32,
        past: d.i32,
        causal: d.u32,
        window: d.u32,
        cap: d.f32,
        ...((masked ? { heads: d.u32, ...PAIR_PARAMS } : {}) as Record<never, never>),
      },
      workgroups: ({ rows }) => [rows],
      aliases: [['scores', 'weights']],
      variants: REDUCE_VARIANTS,
    },
    (view, k) => {
      const { scores, weights, queries, keys, cap } = view
      const masks = masked ? (view as unknown as Lengths & Pairs & { readonly heads: Expr<'u32'> }) : null
      const row = k.let('row', k.workgroupIndex)
      const start = k.let('start', row.mul(keys))
      const query = row.rem(queries)
      const there = masks ? lengthOf(k, { ...view, heads: masks.heads }, masks, row.div(queries)) : view
      const { from, to } = keysSeen(k, 'seen', query, there.keys, { ...view, past: there.past })
      const pairs = masks && pairsOf(k, masks, { head: row.div(queries), heads: masks.heads, query })
      const scoreAt = (j: Expr<'u32'>): Expr<'f32'> => {
        const score = softCapped(k, read(scores.at(start.add(j))), cap)
        return pairs ? score.add(pairs.bias(j)) : score
      }
      /** Does something with the score of a key that is neither masked nor biased away. */
      const withScore = (j: Expr<'u32'>, then: (score: Expr<'f32'>) => void): void => {
        if (pairs) k.if(pairs.shown(j), () => then(scoreAt(j)))
        else then(scoreAt(j))
      }
      const first = k.let('first', from.add(k.localIndex))

      const highest = k.var('highest', f32(LOWEST))
      k.range('j', first, to, k.workgroupSize, (j) => withScore(j, (score) => highest.set(fn.max(highest, score))))
      const top = k.let('top', workgroupReduce(k, 'row_top', highest, MAX))
      const sum = k.var('sum', f32(0))
      k.range('j', first, to, k.workgroupSize, (j) => withScore(j, (score) => sum.addAssign(fn.exp(score.sub(top)))))
      const total = k.let('total', workgroupReduce(k, 'row_sum', sum, SUM))
      const factor = k.let('factor', fn.select(f32(1).div(total), 0, total.eq(0)))

      k.range('j', k.localIndex, keys, k.workgroupSize, (j) => {
        const inside = bool`${j} >= ${from} && ${j} < ${to}`
        const seen = pairs ? k.when(inside, () => pairs.shown(j), false) : inside
        const weight = k.when(seen, () => fn.exp(scoreAt(j).sub(top)).mul(factor), 0)
        weights.at(u32`${start} + ${j}`).set(stored(storage, weight))
      })
    },
  )

export const attentionWeights = (['f32', 'f16'] as const).flatMap((storage) =>
  [false, true].map((masked) => weightsOf(storage, masked)),
)
