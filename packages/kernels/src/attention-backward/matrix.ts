import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  i32,
  input,
  kernel,
  output,
  u32,
  vec2f,
  vec4u,
} from '@weft/dsl'
import { keysSeen, queriesSeeing } from '../attention/sight'
import { NO_WINDOW } from '../attention/window'
import { kvHeadOf } from '../attention-flash/heads'
import { MATRIX_VARIANT, RESULT, SIDE, subgroupOf } from '../parts/matrices'
import {
  type BackwardMatrixOptions,
  type BackwardPlan,
  firstProducts,
  gradients,
  HEADROOM,
  memoryOf,
  normalOf,
  OWN,
  ownRows,
  PAIR,
  pairOf,
  planOf,
  putRows,
  type Rows,
  readRows,
  STEP,
  secondProducts,
  storeSums,
  type Work,
} from './matrix-steps'

/**
 * The gradients of attention, f16, as `dq.ts` and `dkv.ts` without dropout, masks, window and soft cap (Dao et al., 2022), on subgroup matrices:
 *
 *     dq = scale Σ ds k      dk = scale Σ ds q      dv = Σ w dout      w = exp(score − lse)      ds = w (dout · v − δ)
 *
 *     q, dout, dq: [batch, heads, queries, head_size]   k, v, dk, dv: [batch, kv_heads, keys, head_size]   head_size: a multiple of 32
 *     stats: [batch, heads, queries] of (lse, δ) and largest: [1], the bits of the greatest |dout|, from `matrix-rows.ts`
 *
 * Two subgroups share 32 rows – queries for dq, keys for dk and dv – and go over the others 32 at a time. The first makes the scores, the second
 * the gradients of the weights; through workgroup memory both make weights and ds of 16 rows each, over what they were made from; then the
 * first sums dv and the second dk, or each half of the columns of dq. So each matrix that is loaded serves two products, and an invocation
 * holds no more than its own rows and its sums. No two workgroups write one row: sums have one order, and need no atomics.
 *
 * Weights are f16 times 2¹⁰; ds are f16 too, scaled so that the greatest |dout| is 16 … 32, whatever an optimizer has scaled it to: what is
 * below 2⁻²⁸ of that is lost. Sums are f32.
 *
 * What limits it, and what was tried (H200, 16 heads × 4,096 × 128, of five products, where seven are made): dk and dv 2.03 ms, dq 1.13 ms, δ
 * 0.05 ms, 111 TFLOP/s full, as much causal; two pairs of subgroups 2.11 and 1.13. For each product as many barriers as in the forward.
 */
const PARAMS = {
  batch: d.u32,
  heads: d.u32,
  kv_heads: d.u32,
  queries: d.u32,
  keys: d.u32,
  past: d.i32,
  causal: d.u32,
  scale: d.f32,
} as const

const halves = () => input(d.arrayOf(d.vec4u))
const bindings = () => ({
  q: halves(),
  k: halves(),
  v: halves(),
  dout: halves(),
  stats: input(d.arrayOf(d.vec2f)),
  largest: input(d.arrayOf(d.u32)),
})

function workOf(k: Builder, plan: BackwardPlan, scale: Expr<'f32'>): Work & { readonly ownRow: Expr<'u32'> } {
  const { subgroup, lane } = subgroupOf(k, plan.subgroups)
  const { pair, member } = k.let({ pair: subgroup.div(2), member: subgroup.rem(2) })
  const { row, half } = k.let({ row: lane.div(2), half: lane.rem(2) })
  return {
    ...{ plan, i: k.localIndex, pair, member, row, half, ...memoryOf(k, plan, vec4u) },
    ...k.let({ slope: scale.mul(Math.LOG2E), ownRow: u32`${subgroup} * ${SIDE} + ${row}` }),
  }
}

const sumsOf = (k: Builder, columns: number) =>
  each(PAIR).map((r) => each(columns).map((c) => k.var(`sums${r}_${c}`, RESULT)))

/** A step between its tiles and the next ones, which are asked for before the last products and put after them. */
function stepOf(
  k: Builder,
  work: Work,
  tiles: readonly Rows[],
  from: Expr<'u32'>,
  middle: () => void,
  last: () => void,
): void {
  middle()
  k.workgroupBarrier()
  const next = tiles.map((rows, n) => readRows(k, work, `next${n}_`, rows, from))
  last()
  k.workgroupBarrier()
  for (const [n, rows] of next.entries()) putRows(k, work, n, rows)
}

/** The gradient by queries. */
export function backwardMatrixQueriesOf(name: string, options: BackwardMatrixOptions) {
  const plan = planOf(options)
  const { headSize, rows, units, dims } = plan
  return kernel(
    name,
    {
      doc: `the gradient of attention by its queries on subgroup matrices; head size ${headSize}`,
      workgroupSize: [plan.invocations],
      limits: { maxComputeWorkgroupStorageSize: plan.bytes },
      bindings: { ...bindings(), dq: output(d.arrayOf(d.vec4u)) },
      params: PARAMS,
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, rows).mul(batch).mul(heads)],
      variants: MATRIX_VARIANT,
    },
    (view, k) => {
      const { batch, heads, kv_heads, queries, keys, scale } = view
      const work = workOf(k, plan, scale)
      const over = k.let('over', batch.mul(heads))
      // the last queries, which see the most keys where it is causal, come first
      const { head, first } = k.let({
        head: k.workgroupIndex.rem(over),
        first: u32`((${queries} - 1) / ${rows} - ${k.workgroupIndex} / ${over}) * ${rows}`,
      })
      const own = { first: k.let('first_row', head.mul(queries)), count: queries }
      const left = ownRows(
        k,
        work,
        [
          { source: view.q, ...own },
          { source: view.dout, ...own },
        ],
        first,
      )
      const other = { first: k.let('first_key', kvHeadOf(head, heads, kv_heads).mul(keys)), count: keys }
      const tiles = [
        { source: view.k, ...other },
        { source: view.v, ...other },
      ] as const

      const query = k.let('query', fn.min(first.add(work.ownRow), queries.sub(1)))
      const given = k.let('given', view.stats.at(own.first.add(query)))
      const stats = k.let('row_stats', pairOf(given.x, given.y))
      const { normal, back } = normalOf(k, view.largest.at(0))
      const factor = k.let('factor', normal.mul(2 ** -HEADROOM))
      const sight = { ...view, window: u32(NO_WINDOW) }
      const sees = keysSeen(k, 'row', query, keys, sight).to
      const end = keysSeen(k, 'last', u32`min(${first} + ${rows}, ${queries}) - 1`, keys, sight).to
      const sums = sumsOf(k, dims / 2)
      k.workgroupBarrier()
      for (const [n, source] of tiles.entries()) putRows(k, work, n, readRows(k, work, `tile${n}_`, source, u32(0)))
      k.range('j0', u32(0), end, STEP, (j0) => {
        k.workgroupBarrier()
        stepOf(
          k,
          work,
          tiles,
          j0.add(STEP),
          () => {
            firstProducts(k, work, left)
            k.workgroupBarrier()
            const there = k.let('there', i32`i32(${sees}) - i32(${j0} + ${work.half} * ${4 * OWN})`)
            const columns = { stats: () => [stats, stats, stats, stats], seen: (c: number) => there.gt(c) }
            gradients(k, work, columns, factor, false)
          },
          // half of the columns of k for each member
          () => secondProducts(k, work, sums, { of: 1, tile: 0, from: work.member.mul(units / 2) }),
        )
      })
      storeSums(k, work, sums, k.let('result', scale.mul(back)), (r, unit, value) => {
        const to = k.let(`to${r}`, u32`${first} + (${work.pair} * ${PAIR} + ${r}) * ${SIDE} + ${work.row}`)
        k.if(to.lt(queries), () =>
          view.dq.at(u32`(${own.first} + ${to}) * ${units} + ${work.member} * ${units / 2} + ${unit}`).set(value),
        )
      })
    },
  )
}

/** The gradients by keys and by values. */
export function backwardMatrixKeysOf(name: string, options: BackwardMatrixOptions) {
  const plan = planOf(options)
  const { headSize, rows, units, dims } = plan
  return kernel(
    name,
    {
      doc: `the gradients of attention by its keys and values on subgroup matrices; head size ${headSize}`,
      workgroupSize: [plan.invocations],
      limits: { maxComputeWorkgroupStorageSize: plan.bytes },
      bindings: { ...bindings(), dk: output(d.arrayOf(d.vec4u)), dv: output(d.arrayOf(d.vec4u)) },
      params: PARAMS,
      workgroups: ({ batch, kv_heads, keys }) => [ceilDiv(keys, rows).mul(batch).mul(kv_heads)],
      variants: MATRIX_VARIANT,
    },
    (view, k) => {
      const { batch, heads, kv_heads, queries, keys, scale } = view
      const work = workOf(k, plan, scale)
      const tileStats = k.workgroup('tile_stats', vec2f, STEP)
      const over = k.let('over', batch.mul(kv_heads))
      const { kvHead, first } = k.let({
        kvHead: k.workgroupIndex.rem(over),
        first: k.workgroupIndex.div(over).mul(rows),
      })
      const own = { first: k.let('first_row', kvHead.mul(keys)), count: keys }
      const left = ownRows(
        k,
        work,
        [
          { source: view.k, ...own },
          { source: view.v, ...own },
        ],
        first,
      )
      const { normal, back } = normalOf(k, view.largest.at(0))
      const factor = k.let('factor', normal.mul(2 ** -HEADROOM))
      const sight = { ...view, window: u32(NO_WINDOW) }
      const { from, to } = queriesSeeing(k, first, u32`min(${first} + ${rows}, ${keys}) - 1`, queries, sight)
      const sums = sumsOf(k, dims)
      const group = k.let('group', heads.div(kv_heads))
      const firstHead = k.let('first_head', kvHead.mul(group))
      k.range('head', firstHead, firstHead.add(group), (head) => {
        const other = { first: k.let('first_query', head.mul(queries)), count: queries }
        const tiles = [
          { source: view.q, ...other },
          { source: view.dout, ...other },
        ] as const
        k.workgroupBarrier()
        for (const [n, source] of tiles.entries()) putRows(k, work, n, readRows(k, work, `tile${n}_`, source, from))
        k.range('i0', from, to, STEP, (i0) => {
          k.if(work.i.lt(STEP), () => {
            const given = k.let('given', view.stats.at(u32`${other.first} + min(${i0} + ${work.i}, ${queries} - 1)`))
            tileStats.at(work.i.rem(STEP)).set(pairOf(given.x, given.y))
          })
          k.workgroupBarrier()
          stepOf(
            k,
            work,
            tiles,
            i0.add(STEP),
            () => {
              firstProducts(k, work, left)
              k.workgroupBarrier()
              const start = k.let('start', work.half.mul(4 * OWN))
              const query = k.let('query', i0.add(start))
              // a key is seen from the query on that stands on it
              const position = i32`i32(${first} + ${work.ownRow}) - ${view.past} - i32(${query})`
              const least = k.let('least', fn.select(i32(0), position, view.causal.ne(0)))
              const there = k.let('there', i32`i32(${queries}) - i32(${query})`)
              const columns = {
                stats: (u: number) => each(4).map((c) => tileStats.at(start.add(4 * u + c))),
                seen: (c: number) => least.le(c).and(there.gt(c)),
              }
              gradients(k, work, columns, factor, true)
            },
            // the weights times dout for the first member, their gradients times q for the other
            () => secondProducts(k, work, sums, { of: work.member, tile: u32(1).sub(work.member), from: u32(0) }),
          )
        })
      })
      const isValues = work.member.eq(0)
      const result = k.let('result', fn.select(scale.mul(back), f32(2 ** -HEADROOM), isValues))
      storeSums(k, work, sums, result, (r, unit, value) => {
        const line = k.let(`to${r}`, u32`${first} + (${work.pair} * ${PAIR} + ${r}) * ${SIDE} + ${work.row}`)
        k.if(line.lt(keys), () => {
          const at = k.let('at', u32`(${own.first} + ${line}) * ${units} + ${unit}`)
          k.if(isValues, () => view.dv.at(at).set(value)).else(() => view.dk.at(at).set(value))
        })
      })
    },
  )
}

/** The kernels that ship. */
export const backwardMatrices = [64, 128].flatMap((headSize) => [
  backwardMatrixQueriesOf(`attention_backward_matrix_dq_${headSize}_f16`, { headSize }),
  backwardMatrixKeysOf(`attention_backward_matrix_dkv_${headSize}_f16`, { headSize }),
])
