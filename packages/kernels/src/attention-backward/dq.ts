import { ceilDiv, each, f32, fn, input, kernel, output, tuple, u32, vec4f } from '@weft/dsl'
import { keysSeen } from '../attention/sight'
import { kvHeadOf } from '../attention-flash/heads'
import { loadQuad, type Rows, rowsType, storeQuad } from '../attention-flash/quads'
import { named, type Storage } from '../parts/storage'
import { headSight, MASKED_PARAMS, type Masked, maskedBindings, statsType } from './masked'
import { MOST_QUADS, PARAMS, rowAt, TILE, TILE_ROW, tileOf } from './tile'

/**
 * dq = scale Σ ds_j k_j: the gradient of attention by its queries (Dao et al., 2022), with the weights made again from the row sums.
 *
 *     q, dout, dq: [batch, heads, queries, head_size]   k, v: [batch, kv_heads, keys, head_size]   stats: [batch, heads, queries] of (lse, δ)
 *
 * A workgroup takes 16 queries of a head and goes over the keys that they see, 16 at a time: `tile.ts` makes ds for all pairs; then
 * invocation (r, c) adds to quads c, c + 16, … of row r. No two workgroups write one row, so that sums have one order.
 */
const dqOf = (storage: Storage, whole: boolean, masked: boolean) =>
  kernel(
    named(`attention_backward_${masked ? 'masked_' : ''}dq${whole ? '' : '_any'}`, storage),
    {
      doc: `the gradient of attention by its queries; head sizes up to 256${whole ? ' that are multiples of 4' : ''}${masked ? '; with lengths and a bias' : ''}`,
      workgroupSize: [TILE * TILE],
      bindings: {
        q: input(rowsType({ whole, storage })),
        k: input(rowsType({ whole, storage })),
        v: input(rowsType({ whole, storage })),
        dout: input(rowsType({ whole, storage })),
        stats: input(statsType(masked)),
        dq: output(rowsType({ whole, storage })),
        ...((masked ? maskedBindings() : {}) as Record<never, never>),
      },
      params: { ...PARAMS, ...((masked ? MASKED_PARAMS : {}) as Record<never, never>) },
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, TILE).mul(batch).mul(heads)],
    },
    (view, k) => {
      const { heads, kv_heads, queries, keys, head_size } = view
      const quads = k.let('quads', ceilDiv(head_size, 4))
      const rows: Rows = { size: head_size, quads, whole, padded: true, storage }
      const masks = masked ? (view as unknown as Masked) : null
      const tile = tileOf(k, view, rows, masks)
      const dsTile = k.workgroup('ds_tile', f32, TILE, TILE_ROW)
      const tiles = k.let('tiles', ceilDiv(queries, TILE))
      const { head, query } = k.let({ head: k.workgroupIndex.div(tiles), query: k.workgroupIndex.rem(tiles).mul(TILE) })
      const kvHead = k.let('kv_head', kvHeadOf(head, heads, kv_heads))
      const sight = masks ? headSight(k, masks, head.mul(queries)) : view
      const seen = { ...view, past: sight.past }
      const { from } = keysSeen(k, 'first', query, sight.keys, seen)
      const { to } = keysSeen(k, 'last', u32`min(${query} + ${TILE}, ${queries}) - 1`, sight.keys, seen)
      const { row, lane } = k.let({ row: k.localIndex.div(TILE), lane: k.localIndex.rem(TILE) })
      const acc = tuple(MOST_QUADS, (m) => k.var(`acc${m}`, vec4f()))

      k.range('key0', from, to, TILE, (key) => {
        const { ds } = tile({ head, kvHead, query, key, sight })
        // Those of the tile before are read no more: the new one had barriers.
        dsTile.at(row, lane).set(ds)
        k.workgroupBarrier()
        for (const m of each(MOST_QUADS)) {
          const quad = k.let(`quad${m}`, lane.add(m * TILE))
          k.if(quad.lt(quads), () =>
            k.range('j', 0, TILE, (j) => {
              const value = loadQuad(k, view.k, rowAt(kvHead, keys, key.add(j), sight.keys), quad, rows)
              acc[m].set(fn.fma(vec4f(dsTile.at(row, j)), value, acc[m]))
            }),
          )
        }
      })

      k.if(query.add(row).lt(queries), () => {
        const at = k.let('at', u32`${head} * ${queries} + ${query} + ${row}`)
        for (const m of each(MOST_QUADS)) storeQuad(k, view.dq, at, lane.add(m * TILE), acc[m], rows)
      })
    },
  )

export const attentionBackwardDqs = (['f32', 'f16'] as const).flatMap((storage) =>
  [true, false].flatMap((whole) => [false, true].map((masked) => dqOf(storage, whole, masked))),
)
