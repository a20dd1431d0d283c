import type { CompiledKernel } from '@weft/codegen'
import * as shape from '../../generated/shape'
import * as g from '../../generated/sort'
import { argsOf, bound, flag, input, integerFrom, maybe, oneOf, output, size, updated } from '../args'
import {
  atHand,
  type BufferLike,
  badArgument,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { chooseScan, type ScanWay } from '../scan/choose'
import { scanBlocks, scanQuads } from '../scan/host'
import { passes, trialOf } from '../verify'
import { chooseRadix, PORTABLE_RADIX, type RadixChoice } from './choose'
import { DIGITS, RADIX_BITS, RADIX_CHUNK } from './plan'

const trials = () => import('./trial')

export type SortType = 'f32' | 'i32' | 'u32'

const KEYS: Readonly<Record<SortType, CompiledKernel>> = {
  f32: g.radix_keys_f32,
  i32: g.radix_keys_i32,
  u32: g.radix_keys_u32,
}

/** y[i] = the sum of x before i, of u32, in buffers with room for whole quads: as `scan`, by its kernels for u32. */
export async function scanU32(
  way: ScanWay,
  runtime: Runtime,
  { x, y, n }: ScanU32Args,
  options: HostOptions,
): Promise<void> {
  const once = chosen(g.scan_once_u32, options)
  const trial = trialOf(
    runtime,
    trials,
    ({ scanU32Problem }) => scanU32Problem(),
    (on, small, only) => scanU32('once', on, small, only),
  )
  if (way === 'once' && atHand(g.scan_once_u32, runtime, options) && (await passes(runtime, once, options, trial)))
    await scanQuads(runtime, once, { x, y, quads: Math.ceil(n / 4), exclusive: 1 })
  else
    await scanBlocks(
      runtime,
      { x, y, n, exclusive: true },
      { blocks: chosen(g.scan_blocks_u32, options), offsets: chosen(g.scan_offsets_u32, options) },
    )
}

export interface ScanU32Args {
  readonly x: BufferLike
  readonly y: BufferLike
  readonly n: number
}

export interface SortPairsArgs {
  /** u32: [n] */
  readonly keys: BufferLike
  /** Any 4-byte values: [n] */
  readonly values: BufferLike
  /** Written. May not be what is sorted. */
  readonly sortedKeys: BufferLike
  readonly sortedValues: BufferLike
  readonly n: number
  /** How many bits of the keys count, from the lowest on; 32 when left out. Fewer take fewer passes. */
  readonly bits?: number
}

const SORT_PAIRS_ARGS = argsOf<SortPairsArgs>({
  keys: input,
  values: input,
  sortedKeys: output,
  sortedValues: output,
  n: size,
  bits: maybe(integerFrom(1, 32)),
})

/** Sorts u32 keys in ascending order, and the values with them; equal keys keep their order. */
export async function sortPairs(runtime: Runtime, args: SortPairsArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'sortPairs', args, SORT_PAIRS_ARGS, options)
  const { keys, values, sortedKeys, sortedValues, n, bits = 32 } = args
  checkBuffers('sortPairs', {
    keys: [keys, n],
    values: [values, n],
    sortedKeys: [sortedKeys, n],
    sortedValues: [sortedValues, n],
  })
  if (n === 0) return
  const { scatter, tile } = await radixFor(runtime, options)
  const tiles = Math.ceil(n / tile)
  const chunks = Math.ceil(tiles / RADIX_CHUNK)
  using counts = runtime.buffer({ size: 4 * DIGITS * tiles }, { zero: false })
  using sums = runtime.buffer({ size: 4 * DIGITS * chunks }, { zero: false })
  using otherKeys = runtime.buffer({ size: 4 * n }, { zero: false })
  using otherValues = runtime.buffer({ size: 4 * n }, { zero: false })
  const passes = Math.ceil(bits / RADIX_BITS)
  const chunk = RADIX_CHUNK
  let from = { keys, values }
  for (let pass = 0; pass < passes; pass++) {
    // so that the last pass writes the result
    const last = (passes - pass) % 2 === 1
    const to = last ? { keys: sortedKeys, values: sortedValues } : { keys: otherKeys, values: otherValues }
    const shift = pass * RADIX_BITS
    await runtime.run(chosen(g.radix_count, options), { keys: from.keys, counts, n, tile, shift })
    await runtime.run(chosen(g.radix_chunk_sums, options), { counts, sums, tiles, chunk })
    await runtime.run(chosen(g.radix_spine, options), { sums, chunks })
    await runtime.run(chosen(g.radix_spread, options), { counts, sums, tiles, chunk })
    await runtime.run(scatter, {
      ...from,
      starts: counts,
      sorted_keys: to.keys,
      sorted_values: to.values,
      ...{ n, tiles, shift },
    })
    from = to
  }
}

/** The kernel that places keys; with `verify`, the portable one where that for subgroups is wrong. */
async function radixFor(runtime: Runtime, options: HostOptions): Promise<RadixChoice> {
  const best = chooseRadix(runtime.info)
  const kernel = chosen(best.scatter, options)
  const trial = trialOf(runtime, trials, ({ sortProblem }) => sortProblem(), sortPairs)
  if (best.scatter === PORTABLE_RADIX.scatter || (await passes(runtime, kernel, options, trial)))
    return { ...best, scatter: kernel }
  return { ...PORTABLE_RADIX, scatter: chosen(PORTABLE_RADIX.scatter, options) }
}

export interface SortArgs {
  /** [n] */
  readonly x: BufferLike
  /** u32: [n], the index in x of each element of the result; written */
  readonly order: BufferLike
  /** [n], written; left out when only the order is wanted */
  readonly sorted?: BufferLike
  readonly n: number
  readonly type?: SortType
  /** Equal elements keep their order in either direction. */
  readonly descending?: boolean
}

const SORT_ARGS = argsOf<SortArgs>({
  x: input,
  order: output,
  sorted: maybe(output),
  n: size,
  type: maybe(oneOf('f32', 'i32', 'u32')),
  descending: maybe(flag),
})

/** Sorts numbers, with −∞ first and NaN last in ascending order: the permutation, and the sorted numbers. Stable. */
export async function sort(runtime: Runtime, args: SortArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'sort', args, SORT_ARGS, options)
  const { x, order, sorted, n, type = 'f32', descending = false } = args
  checkBuffers('sort', { x: [x, n], order: [order, n], ...(sorted ? { sorted: [sorted, n] } : {}) })
  if (n === 0) return
  using keys = runtime.buffer({ size: 4 * n }, { zero: false })
  using values = runtime.buffer({ size: 4 * n }, { zero: false })
  using sortedKeys = runtime.buffer({ size: 4 * n }, { zero: false })
  await runtime.run(chosen(KEYS[type], options), { x, keys, values, n, descending: Number(descending) })
  await sortPairs(runtime, { keys, values, sortedKeys, sortedValues: order, n }, options)
  if (!sorted) return
  await runtime.run(chosen(g.permute_words, options), { x, order, out: sorted, n })
}

export interface HistogramArgs {
  /** u32: [n] */
  readonly ids: BufferLike
  /** u32: [bins], added to */
  readonly counts: BufferLike
  readonly n: number
  readonly bins: number
}

const HISTOGRAM_ARGS = argsOf<HistogramArgs>({ ids: input, counts: updated, n: size, bins: size })

/** counts[id] += 1 for each id; one that is not below bins counts nothing. */
export async function histogram(runtime: Runtime, args: HistogramArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'histogram', args, HISTOGRAM_ARGS, options)
  const { ids, counts, n, bins } = args
  checkBuffers('histogram', { ids: [ids, n], counts: [counts, bins] })
  if (n > 0 && bins > 0) await runtime.run(chosen(g.histogram, options), { ids, counts, n, bins })
}

export interface HistogramRangeArgs {
  /** f32: [n] */
  readonly x: BufferLike
  /** u32: [bins], added to */
  readonly counts: BufferLike
  readonly n: number
  readonly bins: number
  readonly low: number
  readonly high: number
}

const HISTOGRAM_RANGE_ARGS = argsOf<HistogramRangeArgs>({
  x: input,
  counts: updated,
  n: size,
  bins: size,
  low: bound,
  high: bound,
})

/** Counts numbers in equal bins between low and high; what is outside, and NaN, counts nothing. */
export async function histogramRange(
  runtime: Runtime,
  args: HistogramRangeArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'histogramRange', args, HISTOGRAM_RANGE_ARGS, options)
  const { x, counts, n, bins, low, high } = args
  if (!(high > low)) throw badArgument(`histogramRange: high must be above low = ${low}, got ${high}`)
  checkBuffers('histogramRange', { x: [x, n], counts: [counts, bins] })
  if (n === 0 || bins === 0) return
  const params = { n, bins, low, high, scale: bins / (high - low) }
  await runtime.run(chosen(g.histogram_range, options), { x, counts, ...params })
}

export interface CompactArgs {
  /** Any 4-byte values: [n] */
  readonly x: BufferLike
  /** u32: [n]; elements with 0 are left out */
  readonly keep: BufferLike
  /** [n]: the kept elements in their order, written; what lies behind them stays */
  readonly out: BufferLike
  /** u32: [1], how many there are; written */
  readonly count: BufferLike
  readonly n: number
}

const COMPACT_ARGS = argsOf<CompactArgs>({ x: input, keep: input, out: output, count: output, n: size })

/** The elements whose flag is not 0, one after the other, and their number, which stays on the device. */
export async function compact(runtime: Runtime, args: CompactArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'compact', args, COMPACT_ARGS, options)
  const { x, keep, out, count, n } = args
  checkBuffers('compact', { x: [x, n], keep: [keep, n], out: [out, n], count: [count, 1] })
  // one element more than there are: its place is their number; and room for whole quads, of which the rest comes behind
  const size = 4 * (n + 4)
  using flags = runtime.buffer({ size }, { zero: false })
  using places = runtime.buffer({ size }, { zero: false })
  await runtime.run(chosen(g.compact_flags, options), { keep, flags, n })
  await scanU32(chooseScan(n + 1), runtime, { x: flags, y: places, n: n + 1 }, options)
  if (n > 0) await runtime.run(chosen(g.compact_scatter, options), { x, keep, places, out, n })
  const one = { n: 1, shape: [1, 1, 1, 1, 1, 1], from_strides: [0, 0, 0, 0, 0, 0], to_strides: [0, 0, 0, 0, 0, 0] }
  await runtime.run(chosen(shape.copy_i32, options), { from: places, to: count, from_offset: n, to_offset: 0, ...one })
}
