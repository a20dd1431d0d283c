import { ceilDiv, d, type Expr, input, kernel, output, u32 } from '@weft/dsl'
import { flashBody } from './flash-body'
import { isPadded, quadsOf, ROWS } from './flash-plan'
import { rowsType } from './quads'

/**
 * out = softmax(scale · q·kᵀ) · v, f32: flash attention forward with an online softmax (Dao et al., 2022; Milakov and
 * Gimelshein, 2018), causal or not, grouped queries, one kernel per head size. `flash-body.ts` says how.
 *
 *     q, out: [batch, heads, queries, headSize]   k, v: [batch, kv_heads, keys, headSize]   row-major
 *
 * Visible keys: j < keys, and j ≤ i + keys − queries when causal: the last query sees all, the past comes first. A row
 * that sees no key gives zeros.
 */
export function flashAttention(name: string, headSize: number) {
  const rows = {
    size: headSize,
    quads: quadsOf(headSize),
    whole: headSize % 4 === 0,
    padded: isPadded(headSize),
    storage: 'f32',
  } as const
  const element = rowsType(rows)
  return kernel(
    name,
    {
      workgroupSize: [ROWS],
      bindings: { q: input(element), k: input(element), v: input(element), out: output(element) },
      params: { batch: d.u32, heads: d.u32, kv_heads: d.u32, queries: d.u32, keys: d.u32, causal: d.u32, scale: d.f32 },
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, ROWS), batch.mul(heads)],
    },
    (view, k) => {
      const { queries, keys, causal } = view
      const visible = (last: Expr<'u32'>): Expr<'u32'> =>
        k.when(causal.ne(0), () => u32`min(${keys}, max(${last} + ${keys}, ${queries}) - ${queries})`, keys)
      flashBody(k, {
        ...view,
        capacity: keys,
        rows,
        headSize,
        place: () => ({ head: k.let('head', k.workgroupId.y), tile: k.workgroupId.x }),
        sight: ({ tileStart, i }) => {
          const { sees, tileSees } = k.let({
            sees: visible(u32`${tileStart} + ${i} + 1`),
            tileSees: visible(u32`min(${tileStart} + ${ROWS}, ${queries})`),
          })
          return { from: 0, to: tileSees, keys, seen: (key) => key.lt(sees) }
        },
      })
    },
  )
}

/** For head size 64, the most common one. */
export const attention = flashAttention('attention', 64)
