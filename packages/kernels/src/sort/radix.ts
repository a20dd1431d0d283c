import {
  type Builder,
  bitcast,
  ceilDiv,
  d,
  type Expr,
  each,
  fn,
  inout,
  input,
  kernel,
  output,
  u32,
  type VarRef,
} from '@weft/dsl'
import { orderKey } from '../reduce/order'
import { SCAN_ONCE, scanOnceOf } from '../scan/once'
import { scanBlocksOf, scanOffsetsOf } from '../scan/scan'
import { DIGITS, RADIX_INVOCATIONS, RADIX_ROUNDS } from './plan'
import { SCATTER } from './scatter'

/**
 * A stable radix sort of u32 keys with u32 values, least significant digit first, eight bits at a time (Satish, Harris and Garland,
 * "Designing efficient sorting algorithms for manycore GPUs", 2009). Four passes, each of them over tiles of keys:
 *
 * 1. `radix_count`: how often each of 256 digits occurs in each tile, as counts[tile][digit];
 * 2. `radix_chunk_sums`, `radix_spine`, `radix_spread`: where the keys of a digit and a tile begin in the result. An exclusive scan of
 *    all counts, digit by digit, in which 256 invocations go along the tiles side by side: for chunks of tiles at once, with the sums of the
 *    chunks in between;
 * 3. `radix_scatter`: each key to that place, plus the number of keys before it in its tile with the same digit.
 *
 * The last number decides that the sort is stable. It never depends on which invocation comes first. Two ways to it:
 *
 * - `radix_scatter`, on every device: every invocation sets its own bit in the mask of its digit, in workgroup memory, and counts those below.
 * - `radix_scatter_32` (scatter-subgroups.ts), for subgroups of 32.
 *
 * Other types become keys first: `radix_keys` turns f32 and i32 so that the order of u32 is theirs, and numbers the elements.
 */

const SIZE = RADIX_INVOCATIONS.portable
const ROUNDS = RADIX_ROUNDS.portable
const WORDS = SIZE / 32
/** Reads of a loop that are in flight at a time. */
const AT_ONCE = { unroll: 8 } as const

/** counts[tile · 256 + digit]: how many of the `tile` keys of the tile have the digit. */
export const radixCount = kernel(
  'radix_count',
  {
    workgroupSize: [DIGITS],
    bindings: { keys: input(d.arrayOf(d.u32)), counts: output(d.arrayOf(d.u32)) },
    params: { n: d.u32, tile: d.u32, shift: d.u32 },
    workgroups: ({ n, tile }) => [ceilDiv(n, tile)],
    // 256 digits for 256 invocations, and tiles are what is launched
    guards: 'off',
  },
  ({ keys, counts, n, tile, shift }, k) => {
    const found = k.workgroup('found', d.atomic(d.u32), DIGITS)
    const digit = k.localIndex
    found.at(digit).store(0)
    k.workgroupBarrier()
    const start = k.let('start', k.workgroupIndex.mul(tile))
    const end = k.let('end', u32`${start} + min(${tile}, ${n} - ${start})`)
    k.range(
      'i',
      start.add(digit),
      end,
      DIGITS,
      (i) => {
        found.at(u32`(${keys.at(i)} >> ${shift}) % ${DIGITS}`).add(1)
      },
      AT_ONCE,
    )
    k.workgroupBarrier()
    counts.at(u32`${k.workgroupIndex} * ${DIGITS} + ${digit}`).set(found.at(digit).load())
  },
)

const params = { tiles: d.u32, chunk: d.u32 } as const

/** sums[c · 256 + digit]: the counts of the digit over the `chunk` tiles of chunk c. */
export const radixChunkSums = kernel(
  'radix_chunk_sums',
  {
    workgroupSize: [DIGITS],
    bindings: { counts: input(d.arrayOf(d.u32)), sums: output(d.arrayOf(d.u32)) },
    params,
    workgroups: ({ tiles, chunk }) => [ceilDiv(tiles, chunk)],
    guards: 'off',
  },
  ({ counts, sums, tiles, chunk }, k) => {
    const first = k.let('first', k.workgroupIndex.mul(chunk))
    const sum = k.var('sum', u32(0))
    k.range(
      't',
      first,
      u32`min(${first} + ${chunk}, ${tiles})`,
      (t) => sum.addAssign(counts.at(u32`${t} * ${DIGITS} + ${k.localIndex}`)),
      AT_ONCE,
    )
    sums.at(u32`${k.workgroupIndex} * ${DIGITS} + ${k.localIndex}`).set(sum)
  },
)

/** sums ← the exclusive scan of all of them, digit by digit, by one workgroup. sums: [chunks, 256]. */
export const radixSpine = kernel(
  'radix_spine',
  {
    workgroupSize: [DIGITS],
    bindings: { sums: inout(d.arrayOf(d.u32)) },
    params: { chunks: d.u32 },
    workgroups: () => [1],
    guards: 'off',
  },
  ({ sums, chunks }, k) => {
    const digit = k.localIndex
    const at = (c: Expr<'u32'>) => u32`${c} * ${DIGITS} + ${digit}`
    const total = k.var('total', u32(0))
    k.range('c', 0, chunks, (c) => total.addAssign(sums.at(at(c))), AT_ONCE)
    const partial = k.workgroup('partial', u32, DIGITS)
    const upTo = k.var('up_to', total)
    for (let distance = 1; distance < DIGITS; distance *= 2) {
      partial.at(digit).set(upTo)
      k.workgroupBarrier()
      k.if(digit.ge(distance), () => upTo.addAssign(partial.at(digit.sub(distance))))
      k.workgroupBarrier()
    }
    const running = k.var('running', upTo.sub(total))
    scanned(k, sums, 0, chunks, at, running)
  },
)

/** counts ← where the keys of each tile and digit begin: sums of its chunk, and the counts of the tiles before in it. */
export const radixSpread = kernel(
  'radix_spread',
  {
    workgroupSize: [DIGITS],
    bindings: { counts: inout(d.arrayOf(d.u32)), sums: input(d.arrayOf(d.u32)) },
    params,
    workgroups: ({ tiles, chunk }) => [ceilDiv(tiles, chunk)],
    guards: 'off',
  },
  ({ counts, sums, tiles, chunk }, k) => {
    const first = k.let('first', k.workgroupIndex.mul(chunk))
    const at = (t: Expr<'u32'>) => u32`${t} * ${DIGITS} + ${k.localIndex}`
    const running = k.var('running', sums.at(at(k.workgroupIndex)))
    scanned(k, counts, first, k.let('end', u32`min(${first} + ${chunk}, ${tiles})`), at, running)
  },
)

interface Words {
  at(i: Expr<'u32'>): Expr<'u32'> & { set(value: Expr<'u32'>): void }
}

/** Sets the elements at start … end to what `running` is before each, eight in flight at a time. */
function scanned(
  k: Builder,
  words: Words,
  start: Expr<'u32'> | number,
  end: Expr<'u32'>,
  at: (t: Expr<'u32'>) => Expr<'u32'>,
  running: VarRef<'u32'>,
): void {
  const from = typeof start === 'number' ? u32(start) : start
  const whole = k.let('whole', u32`${from} + (max(${end}, ${from}) - ${from}) / 8 * 8`)
  const step = (place: Expr<'u32'>, value: Expr<'u32'>): void => {
    words.at(place).set(running)
    running.addAssign(value)
  }
  k.range('t', from, whole, 8, (t) => {
    const places = each(8).map((j) => k.let(`at${j}`, at(t.add(j))))
    const values = places.map((place, j) => k.let(`count${j}`, words.at(place)))
    for (const [j, place] of places.entries()) step(place, values[j] as Expr<'u32'>)
  })
  k.range('t', whole, end, (t) => {
    const place = k.let('place', at(t))
    step(place, k.let('count', words.at(place)))
  })
}

/** sorted[starts[tile, digit of the key] + its rank in the tile] = key, and its value beside it. Tiles of 1,024, in rounds of 256. */
export const radixScatter = kernel(
  'radix_scatter',
  {
    workgroupSize: [SIZE],
    ...SCATTER,
    workgroups: ({ tiles }) => [tiles],
  },
  ({ keys, values, starts, sorted_keys, sorted_values, n, shift }, k) => {
    const masks = k.workgroup('masks', d.atomic(d.u32), DIGITS * WORDS)
    const next = k.workgroup('next', u32, DIGITS)
    const lid = k.localIndex
    const tile = k.let('tile', k.workgroupIndex)
    next.at(lid).set(starts.at(u32`${tile} * ${DIGITS} + ${lid}`))
    k.range('round', 0, ROUNDS, (round) => {
      const i = k.let('i', u32`(${tile} * ${ROUNDS} + ${round}) * ${SIZE} + ${lid}`)
      // each invocation looks after a digit: its words are zero again, and the first of its places is counted on
      const counted = k.var('counted', u32(0))
      for (const word of each(WORDS)) {
        const mask = masks.at(u32`${lid} * ${WORDS} + ${word}`)
        counted.addAssign(fn.countOneBits(mask.load()))
        mask.store(0)
      }
      next.at(lid).addAssign(counted)
      k.workgroupBarrier()
      const key = k.let(
        'key',
        k.when(i.lt(n), () => keys.at(i), 0),
      )
      const digit = k.let('digit', u32`(${key} >> ${shift}) % ${DIGITS}`)
      const own = (word: Expr<'u32'>) => masks.at(u32`${digit} * ${WORDS} + ${word}`)
      k.if(i.lt(n), () => own(lid.div(32)).or(u32`1u << (${lid} % 32)`))
      k.workgroupBarrier()
      k.if(i.lt(n), () => {
        const rank = k.var('rank', next.at(digit))
        k.range('word', 0, lid.div(32), (word) => rank.addAssign(fn.countOneBits(own(word).load())))
        const below = k.let('below', u32`(1u << (${lid} % 32)) - 1`)
        const at = k.let('at', rank.add(fn.countOneBits(own(lid.div(32)).load().bitAnd(below))))
        sorted_keys.at(at).set(key)
        sorted_values.at(at).set(values.at(i))
      })
      k.workgroupBarrier()
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
export const scanOnceU32 = scanOnceOf('scan_once_u32', { ...SCAN_ONCE, element: 'u32' })
