import { ceilDiv, d, inout, input, kernel, output, u32 } from '@weft/dsl'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { type Element, typesOf } from './element'
import { type LookBack, publish, sumBefore, tileSum } from './look-back'
import { SCAN_ONCE_BLOCK, SCAN_ONCE_TILE } from './plan'
import { ownSum, readTile, scanTile, type Tile, unitsBefore } from './tile'

/**
 * Prefix sums in one pass: x is read once and y written once. A workgroup sums its tile, publishes the sum, and looks for those of the tiles
 * before it ("decoupled look-back", Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). Tiles are
 * 4,096 elements; 128 of them are a block, whose sum is published by the first tile behind it.
 *
 * - That it ends: WebGPU promises to no workgroup that another one makes progress. Whoever has looked `looks` times sums what is missing
 *   itself, a tile at a time (as in Smith, Levien and Owens, "Decoupled fallback: a portable single-pass GPU scan", 2025), so that every
 *   round of the loop after that gets nearer to its end, whatever the scheduler does. With 0 looks everybody sums everything before it,
 *   as many tests do.
 * - That it is right: atomics are relaxed, and a word that is there says nothing of other memory. So a sum and whether it is there are one
 *   word, and nothing else is read of other workgroups but x, which therefore may not be y.
 * - That it is the same each time: nobody goes on from a sum over all before a tile, which depends on who came how far. A tile adds up the
 *   sums of the blocks before the tile before it, and those of the tiles of that one's block, both in one order; whoever sums a tile or
 *   a block does so in one order too.
 * - Any size that a binding holds: each invocation looks for one tile, and for as many blocks as come to it, one after the other.
 *
 * On an H200, 2026-11-30, the function, beside sums of tiles first, with x read twice (`scan_apply`), and a copy, in µs: 2¹⁴ elements 10.7, 18.9
 * and 7.4; 2²⁰ 13.5, 22.5 and 9.9; 2²² 21.3, 31.2 and 16.1; 2²⁴ 52, 74 and 39; 2²⁶ 154, 214 and 133 (3,480 GB/s, 0.86 of the copy, 0.82 of what
 * one of 2²⁸ has); 2²⁸ 590, 798 and 509. Of u32, which `compact` scans: 2²⁶ elements 155, by blocks and their totals (`scan_blocks_u32`) 573.
 * Without subgroups 0.97 times the speed. What limits it is waiting: with nothing looked for it has 0.94 of the copy. How many looks there
 * are, from 3 to 10,000, makes no difference. Sums that are cleared by a dispatch, and not as the runtime clears a new buffer, cost 7 µs.
 *
 * Lost, 2²⁶ elements, in parts of the copy (where this has 0.85, with a dispatch that clears): tiles of 128 invocations by 4 quads 0.74, 6 0.78, 12 0.82, 16 0.83; 64 by 8 0.65, 64 by 16 0.77; 256 by 4 0.78, 6 0.81,
 * 8 0.80, 16 0.52; 512 by 8 0.78. Sums over the workgroup by trees, with a barrier for each halving: 0.82.
 *
 * There are no subgroup operations in the loop that looks. Where sums were gathered by them, with 6 quads an invocation, the one tile that x
 * did not fill got stuck each time: the greatest number of what was missing, of numbers up to 1,280, came out as 2³² − 1. With tiles that
 * were all full the same code was right in 300 runs, and with 8 quads in as many. Where one subgroup looked for all, 2²⁶ elements were wrong in each run,
 * 2²² in none of 100. Why is not known; it is not the atomics: gathered through workgroup memory, sums that are published by a store are
 * right in 300 runs as those are that are published by a maximum.
 */

interface Form extends Tile {
  readonly invocations: number
  /** Tiles of a block: one for an invocation at most. */
  readonly block: number
}

const DOC: Readonly<Record<Element, string>> = {
  f32: `y[i] = x[0] + … + x[i] (\`exclusive\`: up to x[i − 1]) in one pass over tiles of 4,096. x, y: quads; sums: a word for each tile and
one for each block of 128 tiles, zero at first; looks: how often a workgroup looks for a sum before it computes it itself. y may not be x.`,
  u32: 'scan_once of u32. A sum is published as 1 more, so that nobody sees one of 2³² − 1, which takes time and does no harm.',
}

export const scanOnceOf = (name: string, { element, invocations, held, block }: Form) =>
  kernel(
    name,
    {
      doc: DOC[element],
      workgroupSize: [invocations],
      bindings: {
        x: input(d.arrayOf(typesOf(element).quadSchema)),
        sums: inout(d.arrayOf(d.atomic(d.u32))),
        y: output(d.arrayOf(typesOf(element).quadSchema)),
      },
      params: { quads: d.u32, exclusive: d.u32, looks: d.u32 },
      workgroups: ({ quads }) => [ceilDiv(quads, held * invocations)],
      variants: REDUCE_VARIANTS,
      // sums are of the tiles that are launched, and of their blocks
      guards: 'off',
    },
    ({ x, sums, y, quads, exclusive, looks }, k) => {
      const tile = k.workgroupIndex
      const tiles = k.let('tiles', u32`(${quads} + ${held * invocations - 1}) / ${held * invocations}`)
      const scan: LookBack = { element, held, block, x, quads, sums, tiles, looks }
      const values = readTile(k, scan, x, quads, tile)
      const own = ownSum(k, values)
      publish(k, scan, tile, tileSum(k, scan, own))
      const scanned = scanTile(k, scan, values)
      const start = k.var('start', unitsBefore(k, scan, own))
      k.if(tile.gt(0), () => sumBefore(k, scan, tile, start))
      scanned.write(y, quads, tile, start, exclusive.ne(0))
    },
  )

const INVOCATIONS = 128
export const SCAN_ONCE = { invocations: INVOCATIONS, held: SCAN_ONCE_TILE / 4 / INVOCATIONS, block: SCAN_ONCE_BLOCK }

export const scanOnce = scanOnceOf('scan_once', { ...SCAN_ONCE, element: 'f32' })
