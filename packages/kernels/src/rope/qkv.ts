import { ceilDiv, d, f32, fn, inout, input, kernel, output, u32, vec2f } from '@weft/dsl'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { pairAt, rotation } from './rope'

/**
 * The output of a joint projection to queries, keys and values, split into heads: queries and keys turned by their position, keys and values put
 * into their caches. What would be a split, two rotations and an append is one pass over the memory.
 *
 *     qkv: [batch, tokens, heads + 2 · kv_heads, head_size]      q: [batch, heads, tokens, head_size]
 *     k_cache, v_cache: [batch, kv_heads, capacity, head_size], token t in slot (slot + t) % capacity; tokens ≤ capacity
 *
 * `past`, `pairs`, `interleaved` and the table are those of `rope`. An invocation moves a pair, or one element behind the pairs.
 */
const ropeQkvOf = (storage: Storage) =>
  kernel(
    named('rope_qkv', storage),
    {
      doc: 'splits qkv into heads; turns q and k by position · θ; k and v go into their caches',
      workgroupSize: [256],
      bindings: {
        qkv: input(scalars(storage)),
        table: input(d.arrayOf(d.vec2f)),
        q: output(scalars(storage)),
        k_cache: inout(scalars(storage)),
        v_cache: inout(scalars(storage)),
      },
      params: {
        batch: d.u32,
        tokens: d.u32,
        heads: d.u32,
        kv_heads: d.u32,
        head_size: d.u32,
        pairs: d.u32,
        past: d.u32,
        slot: d.u32,
        capacity: d.u32,
        interleaved: d.u32,
      },
      workgroups: ({ batch, tokens, heads, kv_heads, head_size, pairs }) => [
        ceilDiv(
          batch
            .mul(tokens)
            .mul(heads.add(kv_heads.mul(2)))
            .mul(head_size.sub(pairs)),
          256,
        ),
      ],
    },
    (view, k) => {
      const { qkv, table, batch, tokens, heads, kv_heads, head_size, pairs, past, slot, capacity, interleaved } = view
      const i = k.let('i', k.globalIndex)
      const { perHead, allHeads } = k.let({ perHead: head_size.sub(pairs), allHeads: heads.add(kv_heads.mul(2)) })
      k.if(i.lt(u32`${batch} * ${tokens} * ${allHeads} * ${perHead}`), () => {
        const { c, row } = k.let({ c: i.rem(perHead), row: i.div(perHead) })
        const { head, token } = k.let({ head: row.rem(allHeads), token: row.div(allHeads) })
        const { b, t } = k.let({ b: token.div(tokens), t: token.rem(tokens) })
        const paired = k.let('paired', c.lt(pairs))
        // Within the head; what is no pair is one element twice.
        const pair = pairAt(k, u32(0), { c, pairs, interleaved })
        const first = k.let('first_of', fn.select(pairs.add(c), pair.first, paired))
        const second = k.let('second_of', fn.select(pairs.add(c), pair.second, paired))
        const start = k.let('start', row.mul(head_size))
        const moved = k.var('moved', vec2f(read(qkv.at(start.add(first))), read(qkv.at(start.add(second)))))
        k.if(paired.and(head.lt(heads.add(kv_heads))), () => {
          const { re, im } = rotation(k, table, { position: past.add(t), pairs, c })
          moved.set(vec2f(f32`${moved}.x * ${re} - ${moved}.y * ${im}`, f32`${moved}.x * ${im} + ${moved}.y * ${re}`))
        })
        const kvHead = k.let('kv_head', u32`(${head} - ${heads}) % ${kv_heads}`)
        const inCache = u32`((${b} * ${kv_heads} + ${kvHead}) * ${capacity} + (${slot} + ${t}) % ${capacity}) * ${head_size}`
        const put = (to: typeof view.q | typeof view.k_cache, at: typeof start): void => {
          to.at(at.add(first)).set(stored(storage, moved.x))
          to.at(at.add(second)).set(stored(storage, moved.y))
        }
        k.if(head.lt(heads), () => put(view.q, u32`((${b} * ${heads} + ${head}) * ${tokens} + ${t}) * ${head_size}`))
          .elseIf(head.lt(heads.add(kv_heads)), () => put(view.k_cache, inCache))
          .else(() => put(view.v_cache, inCache))
      })
    },
  )

export const ropeQkv = ropeQkvOf('f32')
export const ropeQkvHalf = ropeQkvOf('f16')
