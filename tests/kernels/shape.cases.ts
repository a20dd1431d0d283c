import {
  copies,
  gather,
  gatherHalf,
  indexSelect,
  indexSelectHalf,
  scatterAdd,
  segmentStarts,
  segmentSum,
} from '@weft/kernels/source'
import {
  copyReference,
  gatherReference,
  indexSelectReference,
  scatterAddReference,
} from '../../packages/kernels/src/shape/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase } from '../parity/case.js'
import { f16s, fromF16 } from '../parity/data.js'
import { gamma, U } from './bounds.js'
import { emptyOutput, filled, filledHalf, near, shipped } from './outputs.js'

type View = readonly [strides: readonly number[], offset: number]

/** `shape` of a small array into a larger one that is full of other values, which stay. */
function copyCase(type: number, what: string, shape: readonly number[], from: View, to: View): ParityCase {
  const kernel = copies[type] as (typeof copies)[number]
  const source = Float32Array.from({ length: 64 }, (_, i) => i + 1)
  const target = Float32Array.from({ length: 90 }, (_, i) => -i - 1)
  const views = [from, to].map(([strides, offset]) => ({ shape, strides, offset }))
  const whole = copyReference({ from: { data: source, ...views[0]! }, to: { data: target, ...views[1]! }, shape })
  const as = (values: ArrayLike<number>): BufferData =>
    type === 0 ? Float32Array.from(values) : type === 1 ? f16s(...Array.from(values)) : Int32Array.from(values)
  const pad = (list: readonly number[], by: number) => [...new Array<number>(6 - list.length).fill(by), ...list]
  return {
    name: `${kernel.name}, ${what}`,
    kernel,
    params: {
      n: shape.reduce((n, extent) => n * extent, 1),
      shape: pad(shape, 1),
      from_offset: from[1],
      from_strides: pad(from[0], 0),
      to_offset: to[1],
      to_strides: pad(to[0], 0),
    },
    bindings: { from: as(source), to: as(target) },
    expect: { to: as(whole) },
  }
}

/** Ids of which one is just outside of the table and one is -1. */
const ids = (seed: number, n: number, size: number): Uint32Array =>
  integers(seed, n, size).map((id, i) => (i === 1 ? size : i === 4 ? 0xffff_ffff : id))

const picked = (half: boolean, n: number) => {
  const x = uniform(1, n + (n % 2), -1, 1)
  if (!half) return { data: x, numbers: x.subarray(0, n) }
  const bits = f16s(...x)
  return { data: bits, numbers: fromF16(bits).slice(0, n) }
}

function selectCase(half: boolean, outer: number, size: number, count: number, inner: number): ParityCase {
  const { data, numbers } = picked(half, outer * size * inner)
  const index = ids(2, count, size)
  const expected = indexSelectReference({ x: numbers, index, outer, size, count, inner })
  return {
    name: `index_select${half ? '_f16' : ''}, ${outer} × ${size} rows of ${inner}, ${count} of them [case-S31]`,
    kernel: half ? indexSelectHalf : indexSelect,
    params: { outer, size, count, inner },
    bindings: {
      x: data,
      index,
      out: half ? filledHalf(new Array(expected.length).fill(9)) : emptyOutput(expected.length),
    },
    expect: { out: half ? filledHalf(expected) : filled(expected) },
  }
}

function gatherCase(half: boolean, outer: number, size: number, count: number, inner: number): ParityCase {
  const { data, numbers } = picked(half, outer * size * inner)
  const index = ids(2, outer * count * inner, size)
  const expected = gatherReference({ x: numbers, index, outer, size, count, inner })
  return {
    name: `gather${half ? '_f16' : ''}, ${outer} × ${size} × ${inner}, ${count} of each [case-S31]`,
    kernel: half ? gatherHalf : gather,
    params: { outer, size, count, inner },
    bindings: {
      x: data,
      index,
      out: half ? filledHalf(new Array(expected.length).fill(9)) : emptyOutput(expected.length),
    },
    expect: { out: half ? filledHalf(expected) : filled(expected) },
  }
}

const bits = (values: Float32Array): Uint32Array => new Uint32Array(values.buffer, values.byteOffset, values.length)

/** Many rows for few targets, of values whose sums are exact in every order. */
function scatterCase(outer: number, size: number, count: number, inner: number): ParityCase {
  const x = Float32Array.from(integers(1, outer * count * inner, 33), (v) => (v - 16) / 8)
  const out = Float32Array.from(integers(3, outer * size * inner, 9), (v) => v / 4)
  const index = ids(2, count, size)
  const expected = scatterAddReference({ x, index, out, outer, size, count, inner })
  return {
    name: `scatter_add, ${count} rows of ${inner} into ${outer} × ${size} [prior-R43]`,
    kernel: scatterAdd,
    params: { outer, size, count, inner },
    bindings: { x, index, out: bits(out) },
    expect: { out: bits(Float32Array.from(expected)) },
  }
}

function segmentCase(segments: number, rows: number, inner: number): ParityCase {
  const x = uniform(1, rows * inner, -1, 1)
  const targets = integers(2, rows, segments)
  const order = Uint32Array.from(targets, (_, i) => i).sort((a, b) => targets[a]! - targets[b]! || a - b)
  const starts = Uint32Array.from({ length: segments + 1 }, (_, s) => targets.filter((t) => t < s).length)
  const zero = new Float32Array(segments * inner)
  const expected = scatterAddReference({ x, index: targets, out: zero, outer: 1, size: segments, count: rows, inner })
  return {
    name: `segment_sum, ${rows} rows of ${inner} in ${segments}`,
    kernel: segmentSum,
    params: { segments, inner },
    bindings: { x, order, starts, out: emptyOutput(segments * inner) },
    expect: { out: filled(expected) },
    tolerance: near(gamma(rows) * rows + U, 'a sum of at most all rows, one after another, of at most 1'),
  }
}

function startsCase(segments: number, rows: number): ParityCase {
  const sorted = integers(1, rows, segments + 2).sort()
  const out = new Uint32Array(segments + 1 + 3).fill(0xdead)
  const expected = out.slice()
  for (let s = 0; s <= segments; s++) expected[s] = sorted.filter((id) => id < s).length
  return {
    name: `segment_starts, ${rows} ids in ${segments}`,
    kernel: segmentStarts,
    params: { rows, segments },
    bindings: { ids: rows > 0 ? sorted : Uint32Array.of(0), starts: out },
    expect: { starts: expected },
  }
}

const cases: readonly ParityCase[] = [
  ...[0, 1, 2].flatMap((type) => [
    copyCase(type, 'transposed', [5, 3], [[1, 5], 0], [[3, 1], 2]),
    copyCase(type, 'backwards, every second, into columns', [2, 3, 4], [[24, -8, -2], 30], [[1, 20, 5], 7]),
    copyCase(type, 'six axes, one repeated', [2, 1, 2, 2, 3, 1], [[1, 9, 2, 0, 4, 9], 1], [[12, 0, 6, 3, 1, 0], 3]),
  ]),
  ...[false, true].flatMap((half) => [
    selectCase(half, 1, 5, 7, 3),
    selectCase(half, 3, 4, 5, 1),
    gatherCase(half, 2, 4, 3, 5),
    gatherCase(half, 1, 1, 6, 1),
  ]),
  scatterCase(1, 5, 300, 3),
  scatterCase(2, 3, 7, 5),
  segmentCase(5, 67, 3),
  segmentCase(9, 4, 1),
  startsCase(5, 67),
  startsCase(300, 7),
  startsCase(4, 0),
]

export const shapeCases: readonly ParityCase[] = cases.map(shipped)
