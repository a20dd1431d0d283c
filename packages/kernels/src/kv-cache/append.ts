import { ceilDiv, d, inout, input, kernel, u32 } from '@weft/dsl'
import { read, type Storage, scalars, stored } from '../parts/storage'

/**
 * Puts the keys and values of new tokens into a cache, in place: the token at position p = past + t goes to slot p % capacity.
 *
 *     k, v: [heads, tokens, head_size]   k_cache, v_cache: [heads, capacity, head_size]   batch and heads joined
 *
 * With past + tokens ≤ capacity the cache fills up; beyond that it is a ring that keeps the last `capacity` tokens (attention with a
 * window does not need more, and the order of keys does not matter to a softmax). Of more new tokens than slots only the last are
 * written, so that no slot has two writers. Slots of other positions are left as they are.
 */
const kvAppendOf = (name: string, from: Storage, to: Storage) =>
  kernel(
    name,
    {
      doc: 'k_cache[h, (past + t) % capacity, :] = k[h, t, :], and v_cache likewise, for the last tokens that fit',
      workgroupSize: [256],
      bindings: {
        k: input(scalars(from)),
        v: input(scalars(from)),
        k_cache: inout(scalars(to)),
        v_cache: inout(scalars(to)),
      },
      params: { heads: d.u32, tokens: d.u32, capacity: d.u32, head_size: d.u32, past: d.u32 },
      workgroups: ({ heads, tokens, capacity, head_size }) => [
        ceilDiv(heads.mul(tokens.min(capacity)).mul(head_size), 256),
      ],
    },
    ({ k: key, v: value, k_cache, v_cache, heads, tokens, capacity, head_size, past }, k) => {
      const i = k.let('i', k.globalIndex)
      const kept = k.let('kept', u32`min(${tokens}, ${capacity})`)
      k.if(i.lt(u32`${heads} * ${kept} * ${head_size}`), () => {
        const { c, row } = k.let({ c: i.rem(head_size), row: i.div(head_size) })
        const head = k.let('head', row.div(kept))
        const t = k.let('t', u32`${tokens} - ${kept} + ${row} % ${kept}`)
        const source = k.let('source', u32`(${head} * ${tokens} + ${t}) * ${head_size} + ${c}`)
        const target = k.let(
          'target',
          u32`(${head} * ${capacity} + (${past} + ${t}) % ${capacity}) * ${head_size} + ${c}`,
        )
        k_cache.at(target).set(stored(to, read(key.at(source))))
        v_cache.at(target).set(stored(to, read(value.at(source))))
      })
    },
  )

export const kvAppend = kvAppendOf('kv_append', 'f32', 'f32')
export const kvAppendHalf = kvAppendOf('kv_append_f16', 'f16', 'f16')
/** f32 keys and values into a cache of f16. */
export const kvAppendToHalf = kvAppendOf('kv_append_f32_to_f16', 'f32', 'f16')
