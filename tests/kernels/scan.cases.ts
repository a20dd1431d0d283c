import { SCAN_BLOCK, SCAN_TILE, scanApply, scanBlocks, scanOffsets } from '@weft/kernels/source'
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

export const scanCases: readonly ParityCase[] = [
  ...[1, 4, 1023, 1024, 1025, 5000].flatMap((n) => [scanCase(n, false), scanCase(n, true)]),
  offsetsCase(3000),
  ...[1, 2048, 2049, 5000].flatMap((n) => [applyCase(n, false), applyCase(n, true)]),
]
