import {
  type Builder,
  bitcast,
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
  vec4f,
  vec4u,
  type WriteRef,
} from '@weft/dsl'
import { kvHeadOf } from '../attention-flash/heads'
import { LOWEST } from '../attention-flash/lowest'
import { components, LEFT, MATRIX_VARIANT, packed, RESULT, SIDE, subgroupOf } from '../parts/matrices'
import { type AttentionMatrixOptions, bytesOf, planOf } from './matrix-plan'
import {
  addValues,
  factorOf,
  HEADROOM,
  loadWeights,
  multiplyKeys,
  PAIR,
  pieceOf,
  putKeys,
  putValues,
  quadsAt,
  readRows,
  rescale,
  softmax,
  storeScores,
  throughMemory,
  type Work,
} from './matrix-steps'
import { keysSeen } from './sight'
import { NO_WINDOW } from './window'

/**
 * out = softmax(scale · q·kᵀ) · v and the logarithms of the rows' sums, f16, causal or not: flash attention forward (Dao et al., 2022; Dao,
 * 2023) on subgroup matrices, as `forward.ts` without masks, window and soft cap, for a scale above 0.
 *
 *     q, out: [batch, heads, queries, head_size]   k, v: [batch, kv_heads, capacity, head_size]   f16, head_size a multiple of 32
 *     lse:    [batch, heads, queries] f32                                       batch · heads · queries from 16 on
 *
 * A workgroup of eight subgroups takes 128 queries of a head and goes over the keys 32 at a time. Two subgroups share 32 rows: each multiplies
 * them with half of the keys, makes the softmax of 16 of them, and sums half of the columns of the weighted values, so that a matrix that it
 * loads serves two products and its sums take 64 registers. Scores go through workgroup memory, since single elements of a matrix are out of
 * reach; weights are written over them. An invocation has half of a row.
 *
 * The sums cannot be rescaled where they are, so the softmax has a reference for each row that follows the greatest score only when that is
 * 2⁸ above it; then, seldom, all sums of the workgroup go through memory (`rescale`). Weights are f16, up to 2¹⁵; products and sums are f32.
 *
 * What limits it, and what was tried (H200, 16 heads × 4,096 × 128; TFLOP/s full, where mma.sync gives about 600): latency between the four
 * barriers of a step, with eight subgroups on a multiprocessor. Left out one at a time, of 0.84 ms: the softmax 0.24, the staging 0.19, the
 * first products 0.12, the second 0.11, the question whether to rescale 0.03, the barrier before scores are written 0.03.
 *     179  as it is      164  a test of every key in every step      172  tiles read a whole step ahead
 *     156  subgroups on their own, 16 rows each      107, 115, 101  four, six, ten subgroups      47  two, 64 keys a step
 *      84  32 rows for each subgroup, four of them   33  two of them
 */
export function attentionMatrixOf(name: string, options: AttentionMatrixOptions) {
  const plan = planOf(options)
  const { headSize, subgroups, invocations, rows, units, dims, ownDims, step } = plan
  return kernel(
    name,
    {
      doc: `softmax(scale q k^T) v with causal masks, and its row sums, on subgroup matrices; head size ${headSize}`,
      workgroupSize: [invocations],
      limits: { maxComputeWorkgroupStorageSize: bytesOf(plan) },
      bindings: {
        q: input(d.arrayOf(d.vec4u)),
        k: input(d.arrayOf(d.vec4u)),
        v: input(d.arrayOf(d.vec4u)),
        out: output(d.arrayOf(d.vec4u)),
        lse: output(d.arrayOf(d.f32)),
      },
      params: {
        batch: d.u32,
        heads: d.u32,
        kv_heads: d.u32,
        queries: d.u32,
        keys: d.u32,
        capacity: d.u32,
        past: d.i32,
        causal: d.u32,
        scale: d.f32,
      },
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, rows).mul(batch).mul(heads)],
      variants: MATRIX_VARIANT,
    },
    (view, k) => {
      const { batch, heads, kv_heads, queries, keys, capacity, scale } = view
      const keyTiles = k.workgroup('key_tiles', vec4u, 2, plan.ownKeys * plan.keyRow)
      const valueTiles = k.workgroup('value_tiles', vec4u, 2, step * plan.valueRow)
      const scores = k.workgroup('scores', vec4u, 2 * subgroups, plan.piece)
      const grown = k.workgroup('grown', d.atomic(d.u32))

      const all = k.let('all', batch.mul(heads))
      // the last queries, which see the most keys where it is causal, come first
      const { head, first } = k.let({
        head: k.workgroupIndex.rem(all),
        first: u32`((${queries} - 1) / ${rows} - ${k.workgroupIndex} / ${all}) * ${rows}`,
      })
      const { subgroup, lane } = subgroupOf(k, subgroups)
      const { pair, member } = k.let({ pair: subgroup.div(2), member: subgroup.rem(2) })
      const { row, half } = k.let({ row: lane.div(2), half: lane.rem(2) })
      // Rows are counted over all heads. A block that ends behind the last row of all begins earlier, so that it can be read as a matrix.
      const startOf = (block: Expr<'u32'>): Expr<'u32'> =>
        u32`min(${head} * ${queries} + ${first} + ${block} * ${SIDE}, ${all} * ${queries} - ${SIDE})`
      const q = each(PAIR).map((r) => {
        const from = k.let(`first_row${r}`, startOf(u32`${pair} * ${PAIR} + ${r}`).mul(units))
        return each(dims).map((c) =>
          k.let(`q${r}_${c}`, k.subgroupMatrixLoad(LEFT, view.q, from.add(2 * c), units, 'row')),
        )
      })
      const work: Work = {
        ...{ plan, i: k.localIndex, subgroup, pair, member, row, half, q },
        ...k.let({
          firstRow: kvHeadOf(head, heads, kv_heads).mul(capacity),
          lastKey: keys.sub(1),
          slope: scale.mul(Math.LOG2E),
        }),
        keyTile: (slab) => keyTiles.at(slab) as never,
        valueTile: (slab) => valueTiles.at(slab) as never,
        scores: (piece) => scores.at(piece) as never,
        factors: k.workgroup('factors', f32, subgroups * SIDE),
        sums: each(PAIR).map((r) => each(ownDims).map((c) => k.var(`sums${r}_${c}`, RESULT))),
        ...k.var({ top: f32(LOWEST), sum: f32(0) }),
      }

      const sight = { ...view, window: u32(NO_WINDOW) }
      const query = k.let('query', i32`i32(${startOf(subgroup)} + ${row}) - i32(${head} * ${queries})`)
      const own = keysSeen(k, 'row', u32(fn.clamp(query, 0, i32`i32(${queries}) - 1`)), keys, sight).to
      const everyone = keysSeen(k, 'first', first, keys, sight).to
      const end = keysSeen(k, 'last', u32`min(${first} + ${rows}, ${queries}) - 1`, keys, sight).to

      putKeys(k, work, readRows(k, work, 'k', view.k, u32(0)))
      k.workgroupBarrier()
      k.range('j0', u32(0), end, step, (j0) => {
        const values = readRows(k, work, 'v', view.v, j0)
        const products = multiplyKeys(k, work)
        // those who add values of the step before have read their weights
        k.workgroupBarrier()
        storeScores(k, work, products)
        k.workgroupBarrier()
        putValues(k, work, values)
        const next = readRows(k, work, 'k', view.k, j0.add(step))
        softmax(k, work, j0, { row: own, all: everyone }, () => grown.store(j0.add(1)))
        putKeys(k, work, next)
        const told = k.workgroupUniformLoad(grown)
        const weights = loadWeights(k, work)
        k.if(told.eq(j0.add(1)), () => rescale(k, work))
        addValues(k, work, weights)
      })
      finish(k, work, { ...view, head, first, query, startOf })
    },
  )
}

interface Results {
  readonly out: WriteRef<{ readonly array: 'vec4u' }>
  readonly lse: WriteRef<{ readonly array: 'f32' }>
  readonly queries: Expr<'u32'>
  readonly head: Expr<'u32'>
  /** The first query of the workgroup, and that of the invocation. */
  readonly first: Expr<'u32'>
  readonly query: Expr<'i32'>
  readonly startOf: (block: Expr<'u32'>) => Expr<'u32'>
}

/** The division by the sums of the softmax, and the logarithms of these. */
function finish(k: Builder, work: Work, { out, lse, queries, head, first, query, startOf }: Results): void {
  const { plan, subgroup, pair, member, row, half, factors, top, sum } = work
  const total = k.let('total', sum.add(k.subgroupShuffleXor(sum, 1)))
  k.if(half.eq(0), () => {
    factors.at(u32`${subgroup} * ${SIDE} + ${row}`).set(fn.select(f32(1).div(total), 0, total.eq(0)))
    // rows that lie before the block belong to another one
    k.if(query.ge(i32`i32(${first} + ${subgroup} * ${SIDE})`).and(query.lt(i32(queries))), () => {
      const log = top.sub(HEADROOM).add(fn.log2(total)).mul(Math.LN2)
      lse.at(u32`${head} * ${queries} + u32(${query})`).set(fn.select(log, f32(LOWEST), total.eq(0)))
    })
  })
  throughMemory(k, work, (blocks) => {
    for (const r of each(PAIR)) {
      const block = k.let(`block${r}`, u32`${pair} * ${PAIR} + ${r}`)
      const line = k.let(`line${r}`, startOf(block).add(row))
      const from = u32`${head} * ${queries} + ${first} + ${block} * ${SIDE}`
      k.if(line.ge(from).and(line.lt(u32`(${head} + 1) * ${queries}`)), () => {
        const factor = k.let('inverse', factorOf(work, r))
        const at = quadsAt(work, blocks.count)
        for (let u = 0; u < at.length; u += 2) {
          const quad = (n: number) => bitcast(vec4f, pieceOf(work, r, member).at(at[u + n]!)).mul(factor)
          const [a, b] = [k.let('a', quad(0)), k.let('b', quad(1))]
          const unit = u32`${member} * ${plan.units / 2} + ${half} * ${blocks.count} + ${2 * blocks.first + u / 2}`
          out.at(u32`${line} * ${plan.units} + ${unit}`).set(packed(components(a), components(b)))
        }
      })
    }
  })
}

/** The kernels that ship. */
export const attentionMatrices = [64, 128].map((headSize) =>
  attentionMatrixOf(`attention_matrix_${headSize}_f16`, { headSize }),
)
