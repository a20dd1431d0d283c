import {
  SCAN_BLOCK,
  SCAN_STEP_TILE,
  SCAN_TILE,
  scanApply,
  scanBlocks,
  scanOffsets,
  scanStep,
  scanTail,
} from '@weft/kernels/source'
import { scanReference } from '../../packages/kernels/src/scan/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
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

function applyCase(n: number, exclusive: boolean): ParityCase {
  const x = uniform(1, n, -1, 1)
  const offsets = uniform(2, Math.ceil(n / SCAN_TILE), -9, 9)
  const y = new Float64Array(n)
  for (let b = 0; b < offsets.length; b++) {
    const sums = scanReference({ x: x.subarray(b * SCAN_TILE, (b + 1) * SCAN_TILE), exclusive })
    y.set(
      sums.map((sum) => sum + offsets[b]!),
      b * SCAN_TILE,
    )
  }
  return {
    name: `scan_apply, n = ${n}${exclusive ? ', exclusive' : ''}`,
    kernel: scanApply,
    params: { n, exclusive: Number(exclusive) },
    bindings: { x, offsets, y: emptyOutput(n) },
    expect: { y: filled(y) },
    tolerance: near(
      gamma(8 + 64 + 8 + 2) * (SCAN_TILE + 9),
      'sums of at most 2,048 terms of at most 1: of eight, of those of at most 64 subgroups, of eight again, with an offset',
    ),
  }
}

interface Step {
  readonly quads: number
  readonly first: number
  readonly applied: number
  readonly reduced: number
  readonly chunk: number
  readonly exclusive: boolean
}

/** A step amid others: sums and carries that are not its own are kept, and those that it has to find are there. */
function stepCase({ exclusive, ...params }: Step): ParityCase {
  const { quads, first, applied, reduced, chunk } = params
  const n = 4 * quads
  const tiles = Math.ceil(n / SCAN_STEP_TILE)
  const x = uniform(1, n, -1, 1)
  const sumOf = (from: number, to: number) => x.subarray(from, to).reduce((sum, value) => sum + value, 0)
  const start = (tile: number) => Math.min(n, tile * SCAN_STEP_TILE)
  const done = Float32Array.from({ length: tiles }, (_, t) =>
    t >= first && t < first + applied ? sumOf(start(t), start(t + 1)) : 777,
  )
  const sums = done.map((sum, t) =>
    t >= first + applied && t < first + applied + reduced ? sumOf(start(t), start(t + 1)) : sum,
  )
  const carries = Float32Array.of(5, -3, 777, 777)
  const before = chunk === 0 ? 0 : (carries[chunk - 1] as number)
  const [from, to] = [start(first), start(first + applied)]
  const y = emptyOutput(n)
  y.set(
    scanReference({ x: x.subarray(from, to), exclusive }).map((sum) => sum + before),
    from,
  )
  const after = carries.slice()
  if (applied > 0) after[chunk] = before + sumOf(from, to)
  return {
    name: `scan_step, ${JSON.stringify(params)}${exclusive ? ', exclusive' : ''}`,
    kernel: scanStep,
    params: { ...params, exclusive: Number(exclusive) },
    bindings: { x, sums: filled(done), carries: filled(carries), y: emptyOutput(n) },
    expect: { sums: filled(sums), carries: filled(after), y },
    tolerance: near(
      gamma(4 + 8 + 64 + 8 + 1 + 64 + 8 + 3) * (applied + reduced) * SCAN_STEP_TILE,
      'sums of at most 8,192 terms of at most 1 for each tile: in quads, over steps or subgroups, of the eight quads of an invocation, and of tiles in the same way',
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

const TILE_QUADS = SCAN_STEP_TILE / 4

export const scanCases: readonly ParityCase[] = [
  ...[1, 4, 1023, 1024, 1025, 5000].flatMap((n) => [scanCase(n, false), scanCase(n, true)]),
  offsetsCase(3000),
  ...[1, 2048, 2049, 5000].flatMap((n) => [applyCase(n, false), applyCase(n, true)]),
  stepCase({ quads: 1, first: 0, applied: 0, reduced: 1, chunk: 0, exclusive: false }),
  stepCase({ quads: TILE_QUADS + 1, first: 0, applied: 2, reduced: 0, chunk: 0, exclusive: true }),
  stepCase({ quads: 2 * TILE_QUADS - 1, first: 0, applied: 1, reduced: 1, chunk: 0, exclusive: true }),
  stepCase({ quads: 4 * TILE_QUADS + 300, first: 1, applied: 3, reduced: 1, chunk: 2, exclusive: false }),
  stepCase({ quads: 3 * TILE_QUADS + 300, first: 1, applied: 1, reduced: 2, chunk: 1, exclusive: true }),
  tailCase(4, 7, false),
  tailCase(8, 9, true),
]
