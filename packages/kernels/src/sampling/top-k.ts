import { ceilDiv, d, type Expr, input, kernel, output, u32 } from '@weft/dsl'
import { named, read, type Storage, scalars } from '../parts/storage'
import { orderKey } from '../reduce/order'
import { descend, sums } from './descend'
import { halves } from './mass'
import { inOrder } from './walk'

/**
 * The k greatest of each row, greatest first, the first of equals first; NaN is the greatest. In two dispatches, for any k ≤ cols:
 *
 * 1. `top_k_select`: a workgroup for each row finds the k-th element (see descend.ts), and writes down which columns are not behind
 *    it: each invocation those that it looks at, one invocation after the other.
 * 2. `top_k_order`: an invocation for each of those counts how many of them are before it, which is its place in the result.
 *
 * Row r of `found` and of the results begins at r · k. Reads 8 · cols elements of a row, and k² of the found ones.
 *
 * Rows of few columns are taken by an invocation each, `top_k_few`, in one dispatch (see walk.ts).
 */

/** Ascending ranks are descending numbers. */
export const rankOf = (x: Expr<'f32'>): Expr<'u32'> => orderKey(x).bitNot()

const WORKGROUP = 256
/** Invocations of a workgroup, each with a row of few columns. */
const FEW_WORKGROUP = 64

const topKFewOf = (storage: Storage) =>
  kernel(
    named('top_k_few', storage),
    {
      doc: 'the k greatest x of each row of few columns, with those, the greatest first, the first of equals first',
      workgroupSize: [FEW_WORKGROUP],
      bindings: { x: input(scalars(storage)), values: output(scalars(storage)), indices: output(d.arrayOf(d.u32)) },
      params: { rows: d.u32, cols: d.u32, k: d.u32 },
      workgroups: ({ rows }) => [ceilDiv(rows, FEW_WORKGROUP)],
      // nth is below k, and places are below cols
      guards: 'off',
    },
    ({ x, values, indices, rows, cols, k: count }, k) => {
      const row = k.let('row', k.globalIndex)
      k.if(row.lt(rows), () => {
        const start = k.let('start', row.mul(cols))
        const rankAt = (i: Expr<'u32'>) => rankOf(read(x.at(start.add(i))))
        inOrder(k, { cols, rankAt }, count, ({ place }, nth) => {
          const at = k.let('at', row.mul(count).add(nth))
          values.at(at).set(x.at(start.add(place)))
          indices.at(at).set(place)
        })
      })
    },
  )

const topKSelectOf = (storage: Storage) =>
  kernel(
    named('top_k_select', storage),
    {
      doc: 'found[r, j] = the columns of the k greatest x of row r, in no order of theirs',
      workgroupSize: [WORKGROUP],
      bindings: { x: input(scalars(storage)), found: output(d.arrayOf(d.u32)) },
      params: { rows: d.u32, cols: d.u32, k: d.u32 },
      workgroups: ({ rows }) => [rows],
      // exactly k elements of a row are not behind the k-th one
      guards: 'off',
    },
    ({ x, found, cols, k: count }, k) => {
      const start = k.let('start', k.workgroupIndex.mul(cols))
      const rankAt = (i: Expr<'u32'>) => rankOf(read(x.at(start.add(i))))
      const last = descend(k, sums(k), { cols, rankAt, target: halves(count.sub(1)) })
      const taken = (i: Expr<'u32'>) => {
        const rank = k.let('rank', rankAt(i))
        return rank.lt(last.rank).or(rank.eq(last.rank).and(i.le(last.place)))
      }
      const own = k.var('own', u32(0))
      k.range('i', k.localIndex, cols, WORKGROUP, (i) => k.if(taken(i), () => own.addAssign(1)))
      const counts = k.workgroup('counts', d.u32, WORKGROUP)
      counts.at(k.localIndex).set(own)
      k.workgroupBarrier()
      const slot = k.var('slot', k.workgroupIndex.mul(count))
      k.range('lane', 0, k.localIndex, (lane) => slot.addAssign(counts.at(lane)))
      k.range('i', k.localIndex, cols, WORKGROUP, (i) =>
        k.if(taken(i), () => {
          found.at(slot).set(i)
          slot.addAssign(1)
        }),
      )
    },
  )

const topKOrderOf = (storage: Storage) =>
  kernel(
    named('top_k_order', storage),
    {
      doc: 'the found columns of each row and their x, the greatest first, the first of equals first',
      workgroupSize: [WORKGROUP],
      bindings: {
        x: input(scalars(storage)),
        found: input(d.arrayOf(d.u32)),
        values: output(scalars(storage)),
        indices: output(d.arrayOf(d.u32)),
      },
      params: { rows: d.u32, cols: d.u32, k: d.u32 },
      workgroups: ({ rows, k }) => [ceilDiv(rows.mul(k), WORKGROUP)],
      // columns that were found are below cols, and ranks below k
      guards: 'off',
    },
    ({ x, found, values, indices, rows, cols, k: count }, k) => {
      const at = k.let('at', k.globalIndex)
      k.if(at.lt(rows.mul(count)), () => {
        const row = k.let('row', at.div(count))
        const rankAt = (column: Expr<'u32'>) => rankOf(read(x.at(u32`${row} * ${cols} + ${column}`)))
        const column = k.let('column', found.at(at))
        const rank = k.let('rank', rankAt(column))
        const before = k.var('before', row.mul(count))
        k.range('j', row.mul(count), row.mul(count).add(count), (j) => {
          const other = k.let('other', found.at(j))
          const theirs = k.let('theirs', rankAt(other))
          k.if(theirs.lt(rank).or(theirs.eq(rank).and(other.lt(column))), () => before.addAssign(1))
        })
        values.at(before).set(x.at(u32`${row} * ${cols} + ${column}`))
        indices.at(before).set(column)
      })
    },
  )

export const topKSelect = topKSelectOf('f32')
export const topKSelectHalf = topKSelectOf('f16')
export const topKOrder = topKOrderOf('f32')
export const topKOrderHalf = topKOrderOf('f16')
export const topKFew = topKFewOf('f32')
export const topKFewHalf = topKFewOf('f16')
