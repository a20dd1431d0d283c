import type { KernelSource } from '@weft/dsl/ir'
import { bytesMatmuls, dotsMatmuls, matmulInt8Align, matmulInt8Join, matmulInt8Turn } from '@weft/kernels/source'
import { matmulInt8Reference } from '../../packages/kernels/src/matmul-int8/reference.js'
import type { ParityCase } from '../parity/case.js'
import { unset } from '../parity/data.js'
import { shipped } from './outputs.js'

type Sizes = readonly [m: number, n: number, k: number, batch?: number]

/** All bytes in an order that repeats in no row, extremes among them. */
const valueAt = (seed: number, i: number): number => ((i * 89 + seed * 37) << 24) >> 24
const values = (seed: number, count: number): number[] => Array.from({ length: count }, (_, i) => valueAt(seed, i))

/** What lies outside of a matrix: bytes that would change every sum that took one of them in. */
const POISON = 0x55

/**
 * Rows of whole loads of `wide` bytes with a gap between them, from a place in the buffer on. Kernels by subgroup matrices count on zeros up
 * to the next load where k runs along rows; those by dot products on nothing.
 */
function rowsOf(given: readonly number[], cols: number, wide: number, zeros: boolean) {
  const row = Math.ceil(cols / wide) * wide + wide
  const rows = cols === 0 ? 0 : given.length / cols
  const data = new Uint8Array(wide + rows * row).fill(POISON)
  for (let i = 0; i < rows; i++) {
    const at = wide + i * row
    if (zeros) data.fill(0, at, at + Math.ceil(cols / wide) * wide)
    data.set(
      given.slice(i * cols, (i + 1) * cols).map((value) => value & 255),
      at,
    )
  }
  return { data: new Uint32Array(data.buffer), offset: wide, row }
}

/** Elements behind each output that nobody may touch. */
const GUARD = 5
const empty = (n: number): Int32Array => new Int32Array(unset(n + GUARD).buffer)
function filled(expected: ArrayLike<number>): Int32Array {
  const all = empty(expected.length)
  all.set(expected)
  return all
}

/** What the name of a kernel says of it. */
const parsed = ({ name }: KernelSource) => ({
  byMatrices: name.startsWith('matmul_matrix'),
  transposeA: /_t[nt](_|$)/.test(name),
  transposeB: /_[nt]t(_|$)/.test(name),
})

function operands(kernel: KernelSource, [m, n, k, batch = 1]: Sizes) {
  const { byMatrices, transposeA, transposeB } = parsed(kernel)
  const wide = byMatrices ? 16 : 4
  const [x, y] = [values(1, batch * m * k), values(2, batch * k * n)]
  const [rowsA, rowsB] = [transposeA ? k : m, transposeB ? n : k]
  const a = rowsOf(x, transposeA ? m : k, wide, byMatrices && !transposeA)
  const b = rowsOf(y, transposeB ? k : n, wide, byMatrices && transposeB)
  const params = {
    ...{ m, n, k, batch, a_offset: a.offset, a_row: a.row, a_batch: rowsA * a.row },
    ...{ b_offset: b.offset, b_row: b.row, b_batch: rowsB * b.row, c_offset: 0, c_row: n, c_batch: m * n },
  }
  return { a: a.data, b: b.data, x, y, params, transposeA, transposeB, byMatrices }
}

const titled = ({ name }: KernelSource, [m, n, k, batch = 1]: Sizes, more: string) =>
  `${name}, ${batch > 1 ? `${batch} of ` : ''}${m}×${n}×${k}${more}`
const of32 = (byMatrices: boolean): Partial<ParityCase> => (byMatrices ? { subgroupSize: 32 } : {})

/** The whole product, or what c holds and the product. */
function wholeCase(kernel: KernelSource, sizes: Sizes, onto = false): ParityCase {
  const [m, n, k, batch = 1] = sizes
  const { a, b, x, y, params, transposeA, transposeB, byMatrices } = operands(kernel, sizes)
  const held = onto ? Array.from({ length: batch * m * n }, (_, i) => (i % 7) * 2 ** 28) : undefined
  return {
    name: titled(kernel, sizes, onto ? ', added to c' : ''),
    kernel,
    params: { ...params, splits: 1, span: k, ...(byMatrices ? {} : { onto: Number(onto) }) },
    bindings: { a, b, c: held ? filled(held) : empty(batch * m * n) },
    expect: { c: filled(matmulInt8Reference({ a: x, b: y, m, n, k, batch, transposeA, transposeB, c: held })) },
    ...of32(byMatrices),
  }
}

/** Sums over parts of k: [splits, batch, m, n]. */
function splitCase(kernel: KernelSource, sizes: Sizes, span: number): ParityCase {
  const [m, n, k, batch = 1] = sizes
  const { a, b, x, y, params, transposeA, transposeB, byMatrices } = operands(kernel, sizes)
  const splits = Math.ceil(k / span)
  // what lies outside of a part counts as 0
  const part = (s: number) =>
    x.map((value, i) => (Math.floor((transposeA ? Math.floor(i / m) % k : i % k) / span) === s ? value : 0))
  const expected = Array.from({ length: splits }, (_, s) => [
    ...matmulInt8Reference({ a: part(s), b: y, m, n, k, batch, transposeA, transposeB }),
  ]).flat()
  return {
    name: titled(kernel, sizes, `, in ${splits} parts`),
    kernel,
    params: { ...params, splits, span, ...(byMatrices ? {} : { onto: 0 }) },
    bindings: { a, b, c: empty(expected.length) },
    expect: { c: filled(expected) },
    ...of32(byMatrices),
  }
}

function alignCase(rows: number, cols: number, batch: number): ParityCase {
  const x = rowsOf(values(3, batch * rows * cols), cols, 4, false)
  const width = Math.ceil(cols / 16) * 16
  const expected = Uint8Array.from({ length: batch * rows * width }, (_, i) =>
    i % width < cols ? valueAt(3, Math.floor(i / width) * cols + (i % width)) & 255 : 0,
  )
  return {
    name: `matmul_int8_align, ${batch} of ${rows}×${cols} in rows of ${width}`,
    kernel: matmulInt8Align,
    params: { rows, cols, batch, offset: x.offset, row: x.row, item: rows * x.row, width },
    bindings: { x: x.data, out: new Uint32Array((batch * rows * width) / 4).fill(0xffff_ffff) },
    expect: { out: new Uint32Array(expected.buffer) },
  }
}

function turnCase(rows: number, cols: number, batch: number): ParityCase {
  const x = rowsOf(values(4, batch * rows * cols), cols, 4, false)
  const width = Math.ceil(rows / 16) * 16
  const turned = (z: number, i: number, j: number) => (i < rows ? valueAt(4, (z * rows + i) * cols + j) & 255 : 0)
  const expected = Uint8Array.from({ length: batch * cols * width }, (_, at) => {
    const line = Math.floor(at / width)
    return turned(Math.floor(line / cols), at % width, line % cols)
  })
  return {
    name: `matmul_int8_turn, ${batch} of ${rows}×${cols} in rows of ${width}`,
    kernel: matmulInt8Turn,
    params: { rows, cols, batch, offset: x.offset, row: x.row, item: rows * x.row, width },
    bindings: { x: x.data, out: new Uint32Array((batch * cols * width) / 4).fill(0xffff_ffff) },
    expect: { out: new Uint32Array(expected.buffer) },
  }
}

function joinCase(onto: boolean): ParityCase {
  const [m, n, batch, splits, width] = [3, 5, 2, 3, 8]
  const size = batch * m * width
  const partial = Int32Array.from({ length: splits * size }, (_, i) => Math.imul(i + 1, 0x9e3779b9))
  const held = Int32Array.from({ length: batch * m * n }, (_, i) => i - 7)
  const expected = held.map((value, i) => {
    const at = Math.floor(i / n) * width + (i % n)
    let sum = onto ? value : 0
    for (let s = 0; s < splits; s++) sum = (sum + (partial[s * size + at] as number)) | 0
    return sum
  })
  return {
    name: `matmul_int8_join, ${splits} parts${onto ? ', added to c' : ''}`,
    kernel: matmulInt8Join,
    params: { m, n, batch, splits, width, c_offset: 0, c_row: n, c_batch: m * n, onto: Number(onto) },
    bindings: { partial, c: filled(held) },
    expect: { c: filled(expected) },
  }
}

const cases: readonly ParityCase[] = [
  ...dotsMatmuls.flatMap((kernel) => [
    wholeCase(kernel, [67, 69, 71, 2]),
    wholeCase(kernel, [1, 3, 5], true),
    splitCase(kernel, [5, 6, 150, 2], 64),
  ]),
  ...[0, 1, 4].map((k) => wholeCase(dotsMatmuls[1] as KernelSource, [2, 2, k])),
  ...bytesMatmuls.map((kernel) => wholeCase(kernel, [37, 36, 161, 2])),
  ...bytesMatmuls.slice(0, 1).map((kernel) => splitCase(kernel, [9, 36, 150, 2], 64)),
  alignCase(3, 5, 2),
  alignCase(2, 33, 1),
  turnCase(21, 5, 2),
  turnCase(129, 130, 1),
  joinCase(false),
  joinCase(true),
]

export const matmulInt8Cases: readonly ParityCase[] = cases.map(shipped)
/** Those that take minutes. */
export const fullCases: readonly ParityCase[] = [...dotsMatmuls, ...bytesMatmuls].flatMap((kernel) =>
  [63, 64, 65, 127, 128, 129].flatMap((side) =>
    [side + 1, 2 * side + 1].map((k) => shipped(wholeCase(kernel, [side, Math.ceil(side / 4) * 4, k]))),
  ),
)
