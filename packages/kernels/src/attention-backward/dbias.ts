import { bool, d, f32, fn, input, kernel, output, u32, vec4u } from '@weft/dsl'
import { keysSeen } from '../attention/sight'
import { kvHeadOf } from '../attention-flash/heads'
import { type Rows, rowsType } from '../attention-flash/quads'
import { named, type Storage } from '../parts/storage'
import { headSight, MASKED_PARAMS, type Masked, maskedBindings, statsType } from './masked'
import { PARAMS, TILE, tileOf } from './tile'

/**
 * The gradient of attention by an additive bias, which is that of the scores behind scale and soft cap: w (g − δ), and 0 where the key is
 * hidden. A bias that is the same along an axis (for all batches, say) has the sum along it.
 *
 *     dbias: f32, with strides (batch, head, query, key); one that is 0 says that it is summed along the axis
 *
 * A workgroup takes 16 queries and 16 keys of a head as `dq.ts` does, or along an axis that is summed all of them, one after the other: it alone
 * writes its elements, so that sums have one order. `batches`, `head_parts`, `row_tiles` and `col_tiles` say in how many parts workgroups
 * take the axes: 1 for one that is summed. A bias for keys alone is left to few workgroups.
 */
const dbiasOf = (storage: Storage, whole: boolean) =>
  kernel(
    named(`attention_backward_dbias${whole ? '' : '_any'}`, storage),
    {
      doc: `the gradient of attention by its bias; head sizes up to 256${whole ? ' that are multiples of 4' : ''}`,
      workgroupSize: [TILE * TILE],
      bindings: {
        q: input(rowsType({ whole, storage })),
        k: input(rowsType({ whole, storage })),
        v: input(rowsType({ whole, storage })),
        dout: input(rowsType({ whole, storage })),
        stats: input(statsType(true)),
        ...maskedBindings(),
        dbias: output(d.arrayOf(d.f32)),
      },
      params: {
        ...{ ...PARAMS, ...MASKED_PARAMS, dbias_strides: d.vec4u },
        ...{ batches: d.u32, head_parts: d.u32, row_tiles: d.u32, col_tiles: d.u32 },
      },
      workgroups: ({ batches, head_parts, row_tiles, col_tiles }) => [
        batches.mul(head_parts).mul(row_tiles).mul(col_tiles),
      ],
    },
    (view, k) => {
      const { batch, heads, kv_heads, queries, keys, head_size, dbias, dbias_strides } = view
      const quads = u32`(${head_size} + 3) / 4`
      const rows: Rows = { size: head_size, quads: k.let('quads', quads), whole, padded: true, storage }
      const masks = view as unknown as Masked
      const tile = tileOf(k, view, rows, masks)
      const sums = k.workgroup('sums', f32, TILE, TILE)
      const over = (axis: 0 | 1 | 2 | 3) => dbias_strides.at(axis).eq(0)
      const { row, col } = k.let({ row: k.localIndex.div(TILE), col: k.localIndex.rem(TILE) })
      const { part, of_head } = k.let({
        part: k.workgroupIndex.rem(u32`${view.row_tiles} * ${view.col_tiles}`),
        of_head: k.workgroupIndex.div(u32`${view.row_tiles} * ${view.col_tiles}`),
      })
      const first = k.let({
        b0: of_head.div(view.head_parts),
        h0: of_head.rem(view.head_parts),
        query0: part.div(view.col_tiles).mul(TILE),
        key0: part.rem(view.col_tiles).mul(TILE),
      })
      const { b0, h0, query0, key0 } = first
      const end = k.let({
        b1: fn.select(b0.add(1), batch, over(0)),
        h1: fn.select(h0.add(1), heads, over(1)),
        query1: fn.select(u32`min(${query0} + ${TILE}, ${queries})`, queries, over(2)),
        key1: fn.select(u32`min(${key0} + ${TILE}, ${keys})`, keys, over(3)),
      })
      const sum = k.var('sum', f32(0))
      k.range('b', b0, end.b1, (b) =>
        k.range('h', h0, end.h1, (h) => {
          const head = k.let('head', u32`${b} * ${heads} + ${h}`)
          const kvHead = k.let('kv_head', kvHeadOf(head, heads, kv_heads))
          const sight = headSight(k, masks, head.mul(queries))
          k.range('query', query0, end.query1, TILE, (query) => {
            const seen = { ...view, past: sight.past }
            const { from } = keysSeen(k, 'first', query, sight.keys, seen)
            const { to } = keysSeen(k, 'last', u32`min(${query} + ${TILE}, ${queries}) - 1`, sight.keys, seen)
            // whole tiles that nobody sees are left out
            const least = u32`max(${key0}, ${from} / ${TILE} * ${TILE})`
            k.range('key', least, fn.min(to, end.key1), TILE, (key) => {
              sum.addAssign(tile({ head, kvHead, query, key, sight }).shift)
            })
          })
        }),
      )
      sums.at(row, col).set(sum)
      k.workgroupBarrier()
      // of an axis that is summed there is one element
      const { query, key } = k.let({ query: query0.add(row), key: key0.add(col) })
      const { rows_end, cols_end } = k.let({
        rows_end: fn.select(queries, u32(1), over(2)),
        cols_end: fn.select(keys, u32(1), over(3)),
      })
      k.if(bool`${query} < ${rows_end} && ${key} < ${cols_end}`, () => {
        const total = k.var('total', f32(0))
        k.range('r', row, fn.select(row.add(1), u32(TILE), over(2)), (r) =>
          k.range('c', col, fn.select(col.add(1), u32(TILE), over(3)), (c) => total.addAssign(sums.at(r, c))),
        )
        dbias.at(fn.dot(vec4u(b0, h0, query, key), dbias_strides)).set(total)
      })
    },
  )

export const attentionBackwardDbiases = (['f32', 'f16'] as const).flatMap((storage) =>
  [true, false].map((whole) => dbiasOf(storage, whole)),
)
