import { ceilDiv, d, f32, fn, inout, input, kernel, output, u32 } from '@weft/dsl'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { SCAN_TILE } from './plan'
import { ownSum, readTile, scanTile, type Tile, unitsBefore } from './tile'

/**
 * With x and y counted once, two thirds of copy bandwidth are the most that this way can have. On an H200, 2²⁶ elements: 0.62, sums in
 * 76 µs and this kernel in 144, where a copy takes 130. Lost: x in chunks that fit a cache, the sums of the next one and y of this one in one
 * dispatch: chunks of 4 MiB 0.27, 16 MiB 0.45, 64 MiB 0.60, everything at once 0.60; with all second readings from a cache 0.53 (16 MiB):
 * dispatches cost more than the cache gives.
 *
 * `scan_once` reads x once, and is taken before this one.
 */

const INVOCATIONS = 256
const TILE: Tile = { element: 'f32', held: SCAN_TILE / 4 / INVOCATIONS }

/**
 * y[i] = sums of the tiles before that of i + x[first of the tile] + … + x[i], in tiles of 8,192 (`exclusive`: up to x[i − 1]). With the
 * sums of tiles from a dispatch before, this is a prefix sum in which x is read twice and y written once: reduce, then scan (Merrill and
 * Grimshaw, "Parallel scan for stream architectures", 2009). x, y: quads; sums: one for each tile, which a workgroup adds up itself as far
 * as it has to, or, with `scanned`, what comes before each tile.
 */
export const scanApply = kernel(
  'scan_apply',
  {
    workgroupSize: [INVOCATIONS],
    bindings: { x: input(d.arrayOf(d.vec4f)), sums: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.vec4f)) },
    params: { quads: d.u32, exclusive: d.u32, scanned: d.u32 },
    workgroups: ({ quads }) => [ceilDiv(quads, SCAN_TILE / 4)],
    variants: REDUCE_VARIANTS,
  },
  ({ x, sums, y, quads, exclusive, scanned }, k) => {
    const tile = k.workgroupIndex
    const values = readTile(k, TILE, x, quads, tile)
    const known = scanned.ne(0)
    const from = fn.select(k.localIndex, tile.add(k.localIndex), known)
    const to = fn.select(tile, tile.add(1), known)
    const share = k.var('share', f32(0))
    k.range('t', from, to, INVOCATIONS, (t) => share.addAssign(sums.at(t)), { unroll: 8 })
    const start = k.let('start', workgroupReduce(k, 'shares', share, SUM).add(unitsBefore(k, TILE, ownSum(k, values))))
    scanTile(k, TILE, values).write(y, quads, tile, start, exclusive.ne(0))
  },
)

/**
 * The last elements of a prefix sum whose y is there up to `from` ≥ 1: y[i] = y[i − 1] + x[i], or + x[i − 1] if `exclusive`. By one
 * invocation: for the one, two or three that make up no quad.
 */
export const scanTail = kernel(
  'scan_tail',
  {
    workgroupSize: [1],
    bindings: { x: input(d.arrayOf(d.f32)), y: inout(d.arrayOf(d.f32)) },
    params: { from: d.u32, n: d.u32, exclusive: d.u32 },
    workgroups: () => [1],
  },
  ({ x, y, from, n, exclusive }, k) => {
    const total = k.var('total', y.at(from.sub(1)))
    k.range('i', from, n, (i) => {
      total.addAssign(x.at(i.sub(fn.select(u32(0), u32(1), exclusive.ne(0)))))
      y.at(i).set(total)
    })
  },
)
