import { ceilDiv, each, f32, fn, input, kernel, output, tuple, u32, vec4f } from '@weft/dsl'
import { queriesSeeing } from '../attention/sight'
import { loadQuad, type Rows, rowsType, storeQuad } from '../attention-flash/quads'
import { named, type Storage } from '../parts/storage'
import { headSight, MASKED_PARAMS, type Masked, maskedBindings, statsType } from './masked'
import { MOST_QUADS, PARAMS, rowAt, TILE, TILE_ROW, tileOf } from './tile'

/**
 * dk_j = scale Σ ds_j q and dv_j = Σ w_j kept_j dout, over the queries of all heads that share a head of keys: the gradients of attention
 * by its keys and values (Dao et al., 2022).
 *
 *     q, dout: [batch, heads, queries, head_size]   k, v, dk, dv: [batch, kv_heads, keys, head_size]   stats: [batch, heads, queries] of (lse, δ)
 *
 * A workgroup takes 16 keys of a head and goes over the heads of its group and their queries, 16 at a time, that see one of the keys:
 * `tile.ts` makes ds and the weights for all pairs; then invocation (r, c) adds to quads c, c + 16, … of key r. One workgroup writes a
 * row, heads after heads and queries after queries: sums have one order, and need no atomics.
 */
const dkvOf = (storage: Storage, whole: boolean, masked: boolean) =>
  kernel(
    named(`attention_backward_${masked ? 'masked_' : ''}dkv${whole ? '' : '_any'}`, storage),
    {
      doc: `the gradients of attention by its keys and values; head sizes up to 256${whole ? ' that are multiples of 4' : ''}${masked ? '; with lengths and a bias' : ''}`,
      workgroupSize: [TILE * TILE],
      bindings: {
        q: input(rowsType({ whole, storage })),
        k: input(rowsType({ whole, storage })),
        v: input(rowsType({ whole, storage })),
        dout: input(rowsType({ whole, storage })),
        stats: input(statsType(masked)),
        dk: output(rowsType({ whole, storage })),
        dv: output(rowsType({ whole, storage })),
        ...((masked ? maskedBindings() : {}) as Record<never, never>),
      },
      params: { ...PARAMS, ...((masked ? MASKED_PARAMS : {}) as Record<never, never>) },
      workgroups: ({ batch, kv_heads, keys }) => [ceilDiv(keys, TILE).mul(batch).mul(kv_heads)],
    },
    (view, k) => {
      const { heads, kv_heads, queries, keys, head_size } = view
      const quads = k.let('quads', ceilDiv(head_size, 4))
      const rows: Rows = { size: head_size, quads, whole, padded: true, storage }
      const masks = masked ? (view as unknown as Masked) : null
      const tile = tileOf(k, view, rows, masks)
      const dsTile = k.workgroup('ds_tile', f32, TILE, TILE_ROW)
      const keptTile = k.workgroup('kept_tile', f32, TILE, TILE_ROW)
      const tiles = k.let('tiles', ceilDiv(keys, TILE))
      const { kvHead, key } = k.let({ kvHead: k.workgroupIndex.div(tiles), key: k.workgroupIndex.rem(tiles).mul(TILE) })
      const group = k.let('group', heads.div(kv_heads))
      const firstHead = k.let('first_head', kvHead.mul(group))
      const sight = masks ? headSight(k, masks, firstHead.mul(queries)) : view
      const last = u32`min(${key} + ${TILE}, ${sight.keys}) - 1`
      const { from, to } = queriesSeeing(k, key, last, queries, { ...view, past: sight.past })
      // behind the length of a batch nobody sees a key
      const end = masks ? k.let('end', fn.select(u32(0), to, key.lt(sight.keys))) : to
      const { row, lane } = k.let({ row: k.localIndex.div(TILE), lane: k.localIndex.rem(TILE) })
      const dk = tuple(MOST_QUADS, (m) => k.var(`dk${m}`, vec4f()))
      const dv = tuple(MOST_QUADS, (m) => k.var(`dv${m}`, vec4f()))

      k.range('head', firstHead, firstHead.add(group), (head) => {
        k.range('query0', from, end, TILE, (query) => {
          const { ds, kept } = tile({ head, kvHead, query, key, sight })
          // Those of the tile before are read no more: the new one had barriers.
          dsTile.at(row, lane).set(ds)
          keptTile.at(row, lane).set(kept)
          k.workgroupBarrier()
          for (const m of each(MOST_QUADS)) {
            const quad = k.let(`quad${m}`, lane.add(m * TILE))
            k.if(quad.lt(quads), () =>
              k.range('j', 0, TILE, (j) => {
                const at = k.let('at', rowAt(head, queries, query.add(j)))
                dk[m].set(fn.fma(vec4f(dsTile.at(j, row)), loadQuad(k, view.q, at, quad, rows), dk[m]))
                dv[m].set(fn.fma(vec4f(keptTile.at(j, row)), loadQuad(k, view.dout, at, quad, rows), dv[m]))
              }),
            )
          }
        })
      })

      k.if(key.add(row).lt(keys), () => {
        const at = k.let('at', u32`${kvHead} * ${keys} + ${key} + ${row}`)
        for (const m of each(MOST_QUADS)) {
          const quad = lane.add(m * TILE)
          storeQuad(k, view.dk, at, quad, dk[m], rows)
          storeQuad(k, view.dv, at, quad, dv[m], rows)
        }
      })
    },
  )

export const attentionBackwardDkvs = (['f32', 'f16'] as const).flatMap((storage) =>
  [true, false].flatMap((whole) => [false, true].map((masked) => dkvOf(storage, whole, masked))),
)
