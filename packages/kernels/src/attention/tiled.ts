import {
  type ArrayValue,
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  input,
  kernel,
  output,
  u32,
  type VarRef,
  vec4f,
  type WriteRef,
} from '@weft/dsl'
import { kvHeadOf } from '../attention-flash/heads'
import { LOWEST } from '../attention-flash/lowest'
import { rowsType } from '../attention-flash/quads'
import { keysSeen } from './sight'
import {
  ACROSS,
  addValues,
  BYTES,
  DEPTH,
  DOWN,
  INVOCATIONS,
  KEYS,
  KEYS_EACH,
  multiply,
  type Pieces,
  piecesOf,
  placeOf,
  ROWS,
  ROWS_EACH,
  rescale,
  STAGED_ROW,
  softmax,
  storeScores,
  VALUE_KEYS,
  WEIGHT_ROW,
  type Work,
} from './tiled-steps'
import { NO_WINDOW } from './window'

export interface AttentionTiledOptions {
  /** A multiple of 64. */
  readonly headSize: number
}

/**
 * out = softmax(scale · q·kᵀ) · v and the logarithms of the rows' sums, f32, causal or not: flash attention forward (Dao et al., 2022;
 * Dao, 2023), as `forward.ts` without masks, window and soft cap.
 *
 *     q, out: [batch, heads, queries, head_size]   k, v: [batch, kv_heads, capacity, head_size]   f32, head_size a multiple of 64
 *     lse:    [batch, heads, queries]
 *
 * A workgroup of 8 × 16 takes 64 queries of a head and goes over the keys 64 at a time. An invocation multiplies 8 queries with 4 keys,
 * eight quads of the head between two barriers, and sums 8 rows of 4 or 8 columns of the values, 32 keys between two barriers: 12 loads
 * of a vec4f from workgroup memory are 128 fma, and 16 are 256. Scores and weights go through workgroup memory, where two invocations
 * share a row of the softmax. Its scores are powers of two, and what its weights are relative to follows the greatest score only when that is
 * 2⁸ above it, so that most steps rescale no sums.
 *
 * What limits it, and what was tried (H200, 16 heads × 4,096 × 128; TFLOP/s full, where fma gives 64.3): the loads from workgroup memory,
 * and what is done between barriers. Left out one at a time, of 4.8 ms: the values 1.9, the products 1.3, the exponentials 0.1; without
 * values and products 1.8 are left.
 *     30.4  as it is (30.5 causal)      30.0  relative to the greatest score so far, by exp
 *     29.8  32 invocations in pairs, 2 × 16      28.5  in order, 2 × 16, 4 × 8 or 8 × 4
 *     With the invocations in order:
 *     27.3, 25.1, 23.5  eight, sixteen and 32 keys written out in the loop over values
 *     23.3  loops of one to four quads over the head      22.6  four quads of the head between two barriers
 *     24.2  nothing read ahead      28.5  the first quads of the next tile too      18.2  values straight from storage memory
 *     With the softmax in registers, by shuffles, and invocations in pairs:
 *     26.6  else as it is      27.4, 23.3  128 and 64 queries, straight from storage memory      24.9, 15.6  64 and 32, kept in workgroup memory
 *     13.4  32 of them for 32 invocations, whose sums of 8 × 16 do not fit into registers
 */
export function attentionTiledOf(name: string, { headSize }: AttentionTiledOptions) {
  const element = rowsType({ whole: true, storage: 'f32' })
  const quads = headSize / 4
  const quadsEach = quads / ACROSS
  return kernel(
    name,
    {
      doc: `softmax(scale q k^T) v with causal masks, and its row sums, in blocks of registers; head size ${headSize}`,
      workgroupSize: [INVOCATIONS],
      limits: { maxComputeWorkgroupStorageSize: BYTES },
      bindings: {
        q: input(element),
        k: input(element),
        v: input(element),
        out: output(element),
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
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, ROWS).mul(batch).mul(heads)],
    },
    (view, k) => {
      const { batch, heads, kv_heads, queries, keys, capacity, scale } = view
      const i = k.localIndex
      const all = k.let('all', batch.mul(heads))
      // the last queries, which see the most keys where it is causal, come first
      const { head, first } = k.let({
        head: k.workgroupIndex.rem(all),
        first: u32`((${queries} - 1) / ${ROWS} - ${k.workgroupIndex} / ${all}) * ${ROWS}`,
      })
      const { x, y, row, half } = k.let({ ...placeOf(i), row: i.div(2), half: i.rem(2) })
      const work: Work = {
        ...{ quads, quadsEach, i, x, y, row, half },
        slope: k.let('slope', scale.mul(Math.LOG2E)),
        staged: k.workgroup('staged', vec4f, (ROWS + KEYS) * STAGED_ROW),
        weights: k.workgroup('weights', vec4f, ROWS * WEIGHT_ROW),
        tops: k.workgroup('tops', f32, 2 * ROWS),
        factors: k.workgroup('factors', f32, ROWS),
        at: k.let({
          queries: y.mul(STAGED_ROW),
          keys: x.mul(STAGED_ROW),
          weights: y.mul(WEIGHT_ROW),
          scores: u32`${y} * ${WEIGHT_ROW} + ${x} / 4`,
          ownWeights: u32`${row} * ${WEIGHT_ROW} + ${half}`,
        }),
        ...k.var({ top: f32(LOWEST), sum: f32(0) }),
      }
      const lastRow = k.let('last_row', u32`min(${first} + ${ROWS}, ${queries}) - 1`)
      const sight = { ...view, window: u32(NO_WINDOW) }
      const sees = keysSeen(k, 'row', fn.min(first.add(row), lastRow), keys, sight).to
      const end = keysSeen(k, 'last', lastRow, keys, sight).to

      const acc = each(ROWS_EACH).map((r) => each(quadsEach).map((g) => k.var(`acc${r}_${g}`, vec4f())))
      const chunk = piecesOf(k, i, ROWS, DEPTH)
      const part = piecesOf(k, i, VALUE_KEYS, quads)
      // rows past the last query, and keys past the last one, are read as copies of it, and not stored or of weight 0
      const queryRows = chunk.map(({ line }, t) =>
        k.let(`query_row${t}`, u32`(${head} * ${queries} + min(${first} + ${line}, ${lastRow})) * ${quads}`),
      )
      const { firstKey, lastKey } = k.let({
        firstKey: kvHeadOf(head, heads, kv_heads).mul(capacity),
        lastKey: keys.sub(1),
      })
      const keyRow = (j: Expr<'u32'>): Expr<'u32'> => u32`(${firstKey} + min(${j}, ${lastKey})) * ${quads}`
      const read = (
        source: ArrayValue<'vec4f'>,
        name: string,
        pieces: Pieces,
        rows: readonly Expr<'u32'>[],
        c0: Expr<'u32'>,
      ) => pieces.map(({ quad }, t) => k.let(`${name}${t}`, source.at(rows[t]!.add(c0).add(quad))))
      const valuesFrom = (j: Expr<'u32'>) =>
        read(
          view.v,
          'v',
          part,
          part.map(({ line }) => keyRow(j.add(line))),
          u32(0),
        )
      const stage = (pieces: Pieces, pitch: number, from: number, values: readonly Expr<'vec4f'>[]): void => {
        for (const [t, { line, quad }] of pieces.entries())
          work.staged.at(line.mul(pitch).add(quad).add(from)).set(values[t]!)
      }

      k.range('j0', u32(0), end, KEYS, (j0) => {
        const score = each(ROWS_EACH).map((r) => each(KEYS_EACH).map((n) => k.var(`score${r}_${n}`, f32(0))))
        const keyRows = chunk.map(({ line }, t) => k.let(`key_row${t}`, keyRow(j0.add(line))))
        const nextQueries = read(view.q, 'a', chunk, queryRows, u32(0)).map((quad, t) => k.var(`next_a${t}`, quad))
        const nextKeys = read(view.k, 'b', chunk, keyRows, u32(0)).map((quad, t) => k.var(`next_b${t}`, quad))
        k.range('c0', 0, quads, DEPTH, (c0) => {
          k.workgroupBarrier()
          stage(chunk, STAGED_ROW, 0, nextQueries)
          stage(chunk, STAGED_ROW, ROWS * STAGED_ROW, nextKeys)
          k.workgroupBarrier()
          k.if(c0.lt(quads - DEPTH), () => {
            setAll(nextQueries, read(view.q, 'a', chunk, queryRows, c0.add(DEPTH)))
            setAll(nextKeys, read(view.k, 'b', chunk, keyRows, c0.add(DEPTH)))
          })
          multiply(k, work, score)
        })
        storeScores(work, score)
        let values = valuesFrom(j0)
        k.workgroupBarrier()
        softmax(k, work, j0, sees)
        stage(part, quads, 0, values)
        k.workgroupBarrier()
        rescale(k, work, acc)
        for (let from = 0; from < KEYS; from += VALUE_KEYS) {
          const more = from + VALUE_KEYS < KEYS
          if (more) values = valuesFrom(j0.add(from + VALUE_KEYS))
          addValues(k, work, acc, from)
          if (!more) continue
          k.workgroupBarrier()
          stage(part, quads, 0, values)
          k.workgroupBarrier()
        }
      })
      finish(k, work, acc, { ...view, head, first })
    },
  )
}

function setAll(to: readonly VarRef<'vec4f'>[], values: readonly Expr<'vec4f'>[]): void {
  for (const [t, quad] of to.entries()) quad.set(values[t]!)
}

interface Results {
  readonly out: WriteRef<{ readonly array: 'vec4f' }>
  readonly lse: WriteRef<{ readonly array: 'f32' }>
  readonly queries: Expr<'u32'>
  readonly head: Expr<'u32'>
  readonly first: Expr<'u32'>
}

/** The division by the sums of the softmax, and the logarithms of these. */
function finish(
  k: Builder,
  work: Work,
  acc: readonly (readonly VarRef<'vec4f'>[])[],
  { out, lse, queries, head, first }: Results,
): void {
  const { quads, x, y, row, half, tops, factors, top, sum } = work
  tops.at(u32`${row} * 2 + ${half}`).set(sum)
  k.workgroupBarrier()
  const total = k.let('total', tops.at(row.mul(2)).add(tops.at(row.mul(2).add(1))))
  factors.at(row).set(fn.select(f32(1).div(total), 0, total.eq(0)))
  const start = k.let('start', u32`${head} * ${queries} + ${first}`)
  k.if(half.eq(0).and(first.add(row).lt(queries)), () => {
    lse.at(start.add(row)).set(fn.select(top.mul(Math.LN2).add(fn.log(total)), f32(LOWEST), total.eq(0)))
  })
  k.workgroupBarrier()
  for (const r of each(ROWS_EACH)) {
    const line = k.let(`line${r}`, y.add(r * DOWN))
    k.if(first.add(line).lt(queries), () => {
      const factor = k.let('inverse', factors.at(line))
      for (const [g, quad] of acc[r]!.entries())
        out.at(u32`(${start} + ${line}) * ${quads} + ${x} + ${g * ACROSS}`).set(quad.mul(factor))
    })
  }
}

/** The kernels that ship. */
export const attentionTileds = [64, 128].map((headSize) =>
  attentionTiledOf(`attention_tiled_${headSize}`, { headSize }),
)
