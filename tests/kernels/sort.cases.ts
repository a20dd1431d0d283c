import {
  compactFlags,
  compactScatter,
  histogram,
  histogramRange,
  permuteWords,
  radixChunkSums,
  radixCount,
  radixKeys,
  radixScatter,
  radixScatter32,
  radixSpine,
  radixSpread,
  scanBlocksU32,
  scanOffsetsU32,
} from '@weft/kernels/source'
import { DIGITS, RADIX_SUBGROUP, type RadixWay, tileOf } from '../../packages/kernels/src/sort/plan.js'
import { histogramReference } from '../../packages/kernels/src/sort/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { unset } from '../parity/data.js'
import { shipped } from './outputs.js'

const GUARD = 5
const words = (n: number): Uint32Array => new Uint32Array(unset(n + GUARD).buffer)

/** The expected words, then the untouched rest. */
function written(values: ArrayLike<number>): Uint32Array {
  const all = words(values.length)
  all.set(values)
  return all
}

/** Keys with many equal digits, and all bits in use. */
const keysOf = (n: number): Uint32Array => integers(1, n, 2 ** 32).map((v, i) => (i % 3 === 0 ? v : v & 0xff00_0003))
const digit = (key: number, shift: number): number => (key >>> shift) & 255

/** How often each digit occurs in each tile: [tile, digit]. */
function countsOf(keys: Uint32Array, shift: number, tile: number): Uint32Array {
  const counts = new Uint32Array(DIGITS * Math.ceil(keys.length / tile))
  for (const [i, key] of keys.entries()) counts[Math.floor(i / tile) * DIGITS + digit(key, shift)]!++
  return counts
}

/** Where the keys of each tile and digit begin: digit by digit, and within a digit tile by tile. */
function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length)
  let sum = 0
  for (let d = 0; d < DIGITS; d++) {
    for (let at = d; at < counts.length; at += DIGITS) {
      starts[at] = sum
      sum += counts[at]!
    }
  }
  return starts
}

/** The sums of the counts of `chunk` tiles. */
function chunksOf(counts: Uint32Array, chunk: number): Uint32Array {
  const sums = new Uint32Array(DIGITS * Math.ceil(counts.length / DIGITS / chunk))
  for (const [at, count] of counts.entries()) sums[Math.floor(at / DIGITS / chunk) * DIGITS + (at % DIGITS)]! += count
  return sums
}

function countCase(n: number, shift: number, tile: number): ParityCase {
  const keys = keysOf(n)
  const counts = countsOf(keys, shift, tile)
  return {
    name: `radix_count, n = ${n}, shift ${shift}, tiles of ${tile}`,
    kernel: radixCount,
    params: { n, tile, shift },
    bindings: { keys, counts: words(counts.length) },
    expect: { counts: written(counts) },
  }
}

/** The three steps of the scan of the counts of so many tiles. */
function scanCases(tiles: number, chunk: number): ParityCase[] {
  const counts = Uint32Array.from(integers(5, DIGITS * tiles, 40))
  const sums = chunksOf(counts, chunk)
  const name = `${tiles} tiles, ${chunk} at a time`
  const spine = startsOf(sums)
  return [
    {
      name: `radix_chunk_sums, ${name}`,
      kernel: radixChunkSums,
      params: { tiles, chunk },
      bindings: { counts, sums: words(sums.length) },
      expect: { sums: written(sums) },
    },
    {
      name: `radix_spine, ${name}`,
      kernel: radixSpine,
      params: { chunks: sums.length / DIGITS },
      bindings: { sums: written(sums) },
      expect: { sums: written(spine) },
    },
    {
      name: `radix_spread, ${name}`,
      kernel: radixSpread,
      params: { tiles, chunk },
      bindings: { counts: written(counts), sums: spine },
      expect: { counts: written(startsOf(counts)) },
    },
  ]
}

function scatterCase(way: RadixWay, n: number, shift: number): ParityCase {
  const keys = keysOf(n)
  const values = Uint32Array.from(keys, (_, i) => 1000 + i)
  const counts = countsOf(keys, shift, tileOf(way))
  const order = Uint32Array.from(keys, (_, i) => i).sort(
    (a, b) => digit(keys[a]!, shift) - digit(keys[b]!, shift) || a - b,
  )
  const kernel = way === 'portable' ? radixScatter : radixScatter32
  return {
    name: `${kernel.name}, n = ${n}, shift ${shift}`,
    kernel,
    params: { n, tiles: counts.length / DIGITS, shift },
    bindings: { keys, values, starts: startsOf(counts), sorted_keys: words(n), sorted_values: words(n) },
    expect: { sorted_keys: written(order.map((i) => keys[i]!)), sorted_values: written(order.map((i) => values[i]!)) },
    ...(way === 'subgroups' ? { subgroupSize: RADIX_SUBGROUP } : {}),
  }
}

function keyCase(type: number, descending: boolean): ParityCase {
  const n = 7
  const kernel = radixKeys[type] as (typeof radixKeys)[number]
  const x =
    type === 0
      ? Float32Array.of(-Infinity, -1.5, -0, 0, 1e-40, NaN, Infinity)
      : type === 1
        ? Int32Array.of(-5, 0, 7, -2147483648, 2147483647, -1, 3)
        : Uint32Array.of(5, 0, 7, 2147483648, 4294967295, 1, 3)
  const f32Keys = [0x007fffff, 0x403fffff, 0x80000000, 0x80000000, 0x800116c2, 0xffffffff, 0xff800000]
  const keys = Array.from(x, (v, i) => (type === 0 ? f32Keys[i]! : type === 1 ? (v + 2 ** 31) >>> 0 : v))
  return {
    name: `${kernel.name}${descending ? ', descending' : ''}`,
    kernel,
    params: { n, descending: Number(descending) },
    bindings: { x, keys: words(n), values: words(n) },
    expect: {
      keys: written(keys.map((key) => (descending ? ~key >>> 0 : key))),
      values: written(keys.map((_, i) => i)),
    },
  }
}

function scanCase(n: number): ParityCase {
  const x = integers(1, n, 2 ** 32)
  const y = new Uint32Array(n)
  const totals = new Uint32Array(Math.ceil(n / 1024))
  for (const [i, value] of x.entries()) {
    const block = Math.floor(i / 1024)
    y[i] = totals[block]!
    totals[block]! += value
  }
  return {
    name: `scan_blocks_u32, n = ${n}, with sums beyond 2³²`,
    kernel: scanBlocksU32,
    params: { n, exclusive: 1 },
    bindings: { x, y: words(n), totals: words(totals.length) },
    expect: { y: written(y), totals: written(totals) },
  }
}

function offsetsCase(n: number): ParityCase {
  const offsets = integers(1, Math.ceil(n / 1024), 2 ** 32)
  const y = integers(2, n, 2 ** 32)
  return {
    name: `scan_offsets_u32, n = ${n}`,
    kernel: scanOffsetsU32,
    params: { n },
    bindings: { offsets, y: written(y) },
    expect: { y: written(y.map((v, i) => v + offsets[Math.floor(i / 1024)]!)) },
  }
}

function histogramCase(n: number, bins: number): ParityCase {
  const ids = integers(1, n, bins + 2)
  const counts = integers(2, bins, 9)
  const expected = histogramReference(ids, bins).map((count, i) => count + counts[i]!)
  return {
    name: `histogram, n = ${n} in ${bins} bins`,
    kernel: histogram,
    params: { n, bins },
    bindings: { ids, counts: written(counts) },
    expect: { counts: written(expected) },
  }
}

/** Halves of bins, so that no rounding decides; the upper end, what is outside, and NaN. */
function rangeCase(): ParityCase {
  const x = Float32Array.from({ length: 70 }, (_, i) => (i % 8) / 2 - 2 + 0.25)
  x.set([2, 2.5, -2.25, NaN, Infinity, -2])
  const bin = (v: number) => (v >= -2 && v <= 2 ? Math.min(Math.floor((v + 2) * 2), 7) : 99)
  const expected = histogramReference([...x].map(bin), 8)
  return {
    name: 'histogram_range, 70 numbers in 8 bins from -2 to 2',
    kernel: histogramRange,
    params: { n: 70, bins: 8, low: -2, high: 2, scale: 2 },
    bindings: { x, counts: written(new Uint32Array(8)) },
    expect: { counts: written(expected) },
  }
}

function compactCases(n: number): ParityCase[] {
  const keep = integers(1, n, 3)
  const x = integers(2, n, 2 ** 32)
  const flags = [...Array.from(keep, (v) => Math.min(v, 1)), 0]
  let sum = 0
  const places = Uint32Array.from(flags, (flag) => (sum += flag) - flag)
  const kept = x.filter((_, i) => keep[i] !== 0)
  const out = words(n)
  const expected = words(n)
  expected.set(kept)
  return [
    {
      name: `compact_flags, n = ${n}`,
      kernel: compactFlags,
      params: { n },
      bindings: { keep, flags: words(n + 1) },
      expect: { flags: written(flags) },
    },
    {
      name: `compact_scatter, n = ${n}`,
      kernel: compactScatter,
      params: { n },
      bindings: { x, keep, places, out },
      expect: { out: expected },
    },
  ]
}

function permuteCase(n: number): ParityCase {
  const x = uniform(1, n, -1, 1)
  const order = Uint32Array.from({ length: n }, (_, i) => (i * 7) % n)
  const bits = new Uint32Array(x.buffer)
  return {
    name: `permute_words, n = ${n}`,
    kernel: permuteWords,
    params: { n },
    bindings: { x: bits, order, out: words(n) },
    expect: { out: written(order.map((i) => bits[i]!)) },
  }
}

const cases: readonly ParityCase[] = [
  countCase(1, 0, 256),
  countCase(2700, 24, 1024),
  ...scanCases(1, 32),
  ...scanCases(21, 10),
  scatterCase('portable', 1, 8),
  scatterCase('portable', 255, 0),
  scatterCase('portable', 1024, 24),
  scatterCase('portable', 2100, 0),
  scatterCase('subgroups', 1, 8),
  scatterCase('subgroups', 5120, 24),
  scatterCase('subgroups', 5401, 0),
  ...[0, 1, 2].flatMap((type) => [keyCase(type, false), keyCase(type, true)]),
  ...[1, 1023, 3000].map(scanCase),
  offsetsCase(3000),
  histogramCase(300, 5),
  histogramCase(70, 300),
  rangeCase(),
  ...compactCases(67),
  permuteCase(67),
]

export const sortCases: readonly ParityCase[] = cases.map(shipped)
