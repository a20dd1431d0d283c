import { type Builder, bitcast, ceilDiv, d, type Expr, fn, input, kernel, output, u32 } from '@weft/dsl'
import { orderKey } from '../reduce/order'
import { scanBlocksOf, scanOffsetsOf } from '../scan/scan'
import { RADIX_BITS, RADIX_BLOCK } from './plan'

/**
 * A stable radix sort of u32 keys with u32 values, least significant digit first, eight bits at a time (Satish, Harris and Garland,
 * "Designing efficient sorting algorithms for manycore GPUs", 2009). Four passes, each of them:
 *
 * 1. `radix_count`: how often each of 256 digits occurs in each block of 256 keys, as counts[digit][block];
 * 2. an exclusive scan of all counts: where the keys of a digit and a block begin in the result;
 * 3. `radix_scatter`: each key to that place, plus the number of keys before it in its block with the same digit.
 *
 * The last number decides that the sort is stable, and comes from bits: every invocation sets its own in the mask of its digit, in
 * workgroup memory, and counts those below. Which invocation sets its bit first does not matter, so the result never differs.
 *
 * Other types become keys first: `radix_keys` turns f32 and i32 so that the order of u32 is theirs, and numbers the elements.
 */

const DIGITS = 2 ** RADIX_BITS
const WORDS = RADIX_BLOCK / 32

/** Marks this invocation's digit; gives the digit. */
function mark(k: Builder, keys: { at(i: Expr<'u32'>): Expr<'u32'> }, n: Expr<'u32'>, shift: Expr<'u32'>) {
  const masks = k.workgroup('masks', d.atomic(d.u32), DIGITS * WORDS)
  const lid = k.localIndex
  k.range('w', lid, DIGITS * WORDS, RADIX_BLOCK, (w) => masks.at(w).store(0))
  k.workgroupBarrier()
  const i = k.let('i', u32`${k.workgroupIndex} * ${RADIX_BLOCK} + ${lid}`)
  const key = k.let(
    'key',
    k.when(i.lt(n), () => keys.at(i), 0),
  )
  const digit = k.let('digit', u32`(${key} >> ${shift}) & ${DIGITS - 1}`)
  k.if(i.lt(n), () => masks.at(u32`${digit} * ${WORDS} + ${lid} / 32`).or(u32`1u << (${lid} % 32)`))
  k.workgroupBarrier()
  return { masks, i, key, digit }
}

/** counts[digit · blocks + block]: how many of the 256 keys of the block have the digit. */
export const radixCount = kernel(
  'radix_count',
  {
    workgroupSize: [RADIX_BLOCK],
    bindings: { keys: input(d.arrayOf(d.u32)), counts: output(d.arrayOf(d.u32)) },
    params: { n: d.u32, blocks: d.u32, shift: d.u32 },
    workgroups: ({ blocks }) => [blocks],
    // 256 digits for 256 invocations, and blocks are what is launched
    guards: 'off',
  },
  ({ keys, counts, n, blocks, shift }, k) => {
    const { masks } = mark(k, keys, n, shift)
    const digit = k.localIndex
    const count = k.var('count', u32(0))
    k.range('word', 0, WORDS, (word) =>
      count.addAssign(fn.countOneBits(masks.at(u32`${digit} * ${WORDS} + ${word}`).load())),
    )
    counts.at(u32`${digit} * ${blocks} + ${k.workgroupIndex}`).set(count)
  },
)

/** sorted[starts[digit of the key, block] + its rank in the block] = key, and its value beside it. */
export const radixScatter = kernel(
  'radix_scatter',
  {
    workgroupSize: [RADIX_BLOCK],
    bindings: {
      keys: input(d.arrayOf(d.u32)),
      values: input(d.arrayOf(d.u32)),
      starts: input(d.arrayOf(d.u32)),
      sorted_keys: output(d.arrayOf(d.u32)),
      sorted_values: output(d.arrayOf(d.u32)),
    },
    params: { n: d.u32, blocks: d.u32, shift: d.u32 },
    workgroups: ({ blocks }) => [blocks],
    // the scan of the counts gives each key another place below n
    guards: 'off',
  },
  ({ keys, values, starts, sorted_keys, sorted_values, n, blocks, shift }, k) => {
    const { masks, i, key, digit } = mark(k, keys, n, shift)
    k.if(i.lt(n), () => {
      const lid = k.localIndex
      const rank = k.var('rank', u32(0))
      k.range('word', 0, lid.div(32), (word) =>
        rank.addAssign(fn.countOneBits(masks.at(u32`${digit} * ${WORDS} + ${word}`).load())),
      )
      const own = k.let('own', masks.at(u32`${digit} * ${WORDS} + ${lid} / 32`).load())
      const below = k.let('below', u32`(1u << (${lid} % 32)) - 1`)
      const at = k.let(
        'at',
        u32`${starts.at(u32`${digit} * ${blocks} + ${k.workgroupIndex}`)} + ${rank} + ${fn.countOneBits(own.bitAnd(below))}`,
      )
      sorted_keys.at(at).set(key)
      sorted_values.at(at).set(values.at(i))
    })
  },
)

const keysOf = (type: 'f32' | 'i32' | 'u32') =>
  kernel(
    `radix_keys_${type}`,
    {
      doc: `keys[i] = a u32 in whose order the ${type} x[i] stand, turned when descending; values[i] = i`,
      workgroupSize: [256],
      bindings: {
        x: input(d.arrayOf((type === 'f32' ? d.f32 : type === 'i32' ? d.i32 : d.u32) as typeof d.f32)),
        keys: output(d.arrayOf(d.u32)),
        values: output(d.arrayOf(d.u32)),
      },
      params: { n: d.u32, descending: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ x, keys, values, n, descending }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const value = x.at(i)
        const key =
          type === 'f32'
            ? orderKey(value)
            : type === 'i32'
              ? bitcast(u32, value).bitXor(0x8000_0000)
              : (value as unknown as Expr<'u32'>)
        const kept = k.let('kept', key)
        keys.at(i).set(fn.select(kept, kept.bitNot(), descending.ne(0)))
        values.at(i).set(i)
      })
    },
  )

/** out[i] = x[order[i]], of any 4-byte values, which move as bits. */
export const permuteWords = kernel(
  'permute_words',
  {
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.u32)), order: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, 256)],
  },
  ({ x, order, out, n }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => out.at(i).set(x.at(order.at(i))))
  },
)

export const radixKeys = [keysOf('f32'), keysOf('i32'), keysOf('u32')]
export const scanBlocksU32 = scanBlocksOf('scan_blocks_u32', 'u32')
export const scanOffsetsU32 = scanOffsetsOf('scan_offsets_u32', 'u32')
