import {
  SCAN_BLOCK,
  SCAN_ONCE_BLOCK,
  SCAN_ONCE_TILE,
  SCAN_TILE,
  scanApply,
  scanBlocks,
  scanOffsets,
  scanOnce,
  scanOnceU32,
  scanTail,
} from '@weft/kernels/source'
import { scanOnceOf } from '../../packages/kernels/src/scan/once.js'
import { scanReference } from '../../packages/kernels/src/scan/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { gamma, U } from './bounds.js'
import { emptyOutput, filled, near } from './outputs.js'

function scanCase(n: number, exclusive: boolean): ParityCase {
  const x = uniform(1, n, -1, 1)
  const y = new Float64Array(n)
  const totals = new Float64Array(Math.ceil(n / SCAN_BLOCK))
  for (let b = 0; b < totals.length; b++) {
    const block = x.subarray(b * SCAN_BLOCK, (b + 1) * SCAN_BLOCK)
    y.set(scanReference({ x: block, exclusive }), b * SCAN_BLOCK)
    totals[b] = block.reduce((sum, value) => sum + value, 0)
  }
  return {
    name: `scan_blocks, n = ${n}${exclusive ? ', exclusive' : ''}`,
    kernel: scanBlocks,
    params: { n, exclusive: Number(exclusive) },
    bindings: { x, y: emptyOutput(n), totals: emptyOutput(totals.length) },
    expect: { y: filled(y), totals: filled(totals) },
    tolerance: near(gamma(16) * SCAN_BLOCK, 'at most 4 + 8 + 4 sums of at most 1,024 terms of at most 1'),
  }
}

function offsetsCase(n: number): ParityCase {
  const offsets = uniform(1, Math.ceil(n / SCAN_BLOCK), -9, 9)
  const y = uniform(2, n, -1, 1)
  return {
    name: `scan_offsets, n = ${n}`,
    kernel: scanOffsets,
    params: { n },
    bindings: { offsets, y: filled(y) },
    expect: { y: filled(Float64Array.from(y, (value, i) => value + (offsets[Math.floor(i / SCAN_BLOCK)] ?? 0))) },
    tolerance: near(20 * U, 'a sum of at most 10, rounded once, and the reference rounded to f32'),
  }
}

/** Sums of tiles of magnitudes that no tile has: they are what is read. */
function applyCase(quads: number, exclusive: boolean, scanned: boolean): ParityCase {
  const n = 4 * quads
  const x = uniform(1, n, -1, 1)
  const sums = uniform(2, Math.ceil(n / SCAN_TILE), -9, 9)
  const y = new Float64Array(n)
  sums.forEach((sum, t) => {
    const before = scanned ? sum : sums.subarray(0, t).reduce((a, b) => a + b, 0)
    const within = scanReference({ x: x.subarray(t * SCAN_TILE, (t + 1) * SCAN_TILE), exclusive })
    y.set(
      within.map((value) => before + value),
      t * SCAN_TILE,
    )
  })
  return {
    name: `scan_apply, ${quads} quads${exclusive ? ', exclusive' : ''}${scanned ? ', sums scanned' : ''}`,
    kernel: scanApply,
    params: { quads, exclusive: Number(exclusive), scanned: Number(scanned) },
    bindings: { x, sums, y: emptyOutput(n) },
    expect: { y: filled(y) },
    tolerance: near(
      gamma(4 + 256 + 8 + 4) * (SCAN_TILE + 9 * sums.length),
      'sums of at most 8,192 terms of at most 1 in a tile, and of tiles: in quads, over at most 256 invocations or as many subgroups and lanes, and of the eight quads of an invocation',
    ),
  }
}

function tailCase(from: number, n: number, exclusive: boolean): ParityCase {
  const x = uniform(1, n, -1, 1)
  const y = Float64Array.from({ length: n }, () => 777)
  y[from - 1] = 3
  const all = y.slice()
  for (let i = from; i < n; i++) all[i] = all[i - 1]! + x[exclusive ? i - 1 : i]!
  return {
    name: `scan_tail, ${from} of ${n}${exclusive ? ', exclusive' : ''}`,
    kernel: scanTail,
    params: { from, n, exclusive: Number(exclusive) },
    bindings: { x, y: filled(y) },
    expect: { y: filled(all) },
    tolerance: near(gamma(4) * 6, 'three terms of at most 1 added to 3'),
  }
}

type Once = typeof scanOnce

/** The kernels with tiles of 256 elements, in blocks of four: few elements have many blocks. */
const SMALL = { invocations: 64, held: 1, block: 4 }
const small = scanOnceOf('scan_once', { ...SMALL, element: 'f32' })
const smallU32 = scanOnceOf('scan_once_u32', { ...SMALL, element: 'u32' })

/**
 * Integers, whose sums are exact in any order: results have the same bits whoever sums what. With 0 looks nobody sees what others have
 * found, so that everybody sums all tiles before its own.
 */
function onceCase(kernel: Once, quads: number, looks: number, exclusive: boolean): ParityCase {
  const n = 4 * quads
  const unsigned = kernel === smallU32 || kernel === scanOnceU32
  const [tile, block] = kernel === small || kernel === smallU32 ? [256, 4] : [SCAN_ONCE_TILE, SCAN_ONCE_BLOCK]
  // sums of u32 that wrap round, and in a first tile one of 2³² − 1, which as a word is the same as none
  const x: Float32Array | Uint32Array = unsigned ? wrapping(n) : Float32Array.from(integers(1, n, 15), (v) => v - 7)
  const sumOf = (from: number, to: number) => Array.from(x.subarray(from, to)).reduce((a, b) => add(unsigned, a, b), 0)
  const tiles = Array.from({ length: Math.ceil(n / tile) }, (_, t) => sumOf(t * tile, (t + 1) * tile))
  // of those blocks that a tile comes after
  const blocks = Array.from({ length: Math.ceil(tiles.length / block) }, (_, b) =>
    (b + 1) * block < tiles.length ? sumOf(b * block * tile, (b + 1) * block * tile) : null,
  )
  const word = (sum: number | null) =>
    sum === null
      ? 0
      : unsigned
        ? (sum + 1) % 2 ** 32
        : new Uint32Array(Float32Array.of(sum === 0 ? -0 : sum).buffer)[0]!
  let total = 0
  const y = Float64Array.from(x, (v) => {
    const before = total
    total = add(unsigned, total, v)
    return exclusive ? before : total
  })
  return {
    name: `${kernel.name}, ${quads} quads in tiles of ${tile}, ${looks} looks${exclusive ? ', exclusive' : ''}`,
    kernel,
    params: { quads, looks, exclusive: Number(exclusive) },
    bindings: { x, sums: new Uint32Array(tiles.length + blocks.length), y: unsigned ? wordsOf([], n) : emptyOutput(n) },
    expect: { y: unsigned ? wordsOf(y, n) : filled(y), sums: Uint32Array.from([...tiles, ...blocks], word) },
  }
}

/** Of numbers whose sums are rounded. */
function roundedCase(quads: number, looks: number): ParityCase {
  const x = uniform(1, 4 * quads, -1, 1)
  const { bindings, ...rest } = onceCase(small, quads, looks, false)
  return {
    ...rest,
    name: `${rest.name}, rounded`,
    bindings: { ...bindings, x },
    expect: { y: filled(scanReference({ x })) },
    tolerance: near(
      gamma(4 + 64 + 16 + 16 + 2 * 8 + 5) * 4 * quads,
      'terms of at most 1: sums of a quad, over the lanes of a subgroup, over subgroups, and of tiles, of a block and of five blocks',
    ),
  }
}

const add = (unsigned: boolean, a: number, b: number) => (unsigned ? (a + b) % 2 ** 32 : a + b)

function wordsOf(values: ArrayLike<number>, n: number): Uint32Array {
  const words = new Uint32Array(emptyOutput(n).buffer)
  words.set(values)
  return words
}

function wrapping(n: number): Uint32Array {
  const x = Uint32Array.from(integers(1, n, 2 ** 16), (v) => v * 65_537)
  const rest = x.subarray(1, 256).reduce((sum, v) => add(true, sum, v), 0)
  x[0] = 2 ** 32 - 1 - rest
  return x
}

const TILE_QUADS = SCAN_TILE / 4

export const scanCases: readonly ParityCase[] = [
  ...[1, 4, 1023, 1024, 1025, 5000].flatMap((n) => [scanCase(n, false), scanCase(n, true)]),
  offsetsCase(3000),
  applyCase(1, false, false),
  applyCase(TILE_QUADS - 1, true, true),
  applyCase(TILE_QUADS + 1, true, false),
  applyCase(2 * TILE_QUADS + 300, false, false),
  applyCase(2 * TILE_QUADS + 300, true, true),
  onceCase(small, 1, 1, false),
  onceCase(small, 65, 0, true),
  // five blocks of which the last one is cut, as its last tile is
  onceCase(small, 1025, 0, false),
  onceCase(small, 1025, 50, true),
  roundedCase(1025, 50),
  onceCase(smallU32, 1025, 0, true),
  onceCase(scanOnce, SCAN_ONCE_TILE / 2 + 300, 50, false),
  onceCase(scanOnceU32, SCAN_ONCE_TILE / 2 + 300, 50, false),
  tailCase(4, 7, false),
  tailCase(8, 9, true),
]
