import { d, each, f16, f32, i32, inout, input, kernel, output, subgroupMatrix, tuple, u32 } from '@weft/dsl'
import { f16Bits } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { floats, ints, run } from './testing/run'

const product = (a: ArrayLike<number>, b: ArrayLike<number>, m: number, n: number, inner: number) =>
  Array.from({ length: m * n }, (_, i) => {
    let sum = 0
    for (let k = 0; k < inner; k++) sum += (a[Math.floor(i / n) * inner + k] as number) * (b[k * n + (i % n)] as number)
    return sum
  })

test('a tiled product of f16 matrices, accumulated in f32; each subgroup has its own', () => {
  const L = subgroupMatrix('left', f16, { rows: 8, cols: 4 })
  const R = subgroupMatrix('right', f16, { rows: 4, cols: 8 })
  const S = subgroupMatrix('result', f32, { rows: 8, cols: 8 })
  const k = kernel(
    'k',
    {
      workgroupSize: [64],
      bindings: { a: input(d.arrayOf(d.f16)), b: input(d.arrayOf(d.f16)), c: inout(d.arrayOf(d.f32)) },
      params: { inner: d.u32 },
    },
    ({ a, b, c, inner }, k) => {
      const row = k.let('row', k.subgroupId.mul(8))
      const acc = tuple(2, (j) => k.var(`acc${j}`, S))
      k.range('kk', 0, inner, 4, (kk) => {
        const left = k.subgroupMatrixLoad(L, a, row.mul(inner).add(kk), inner)
        for (const j of each(2)) {
          const right = k.subgroupMatrixLoad(R, b, kk.mul(16).add(j * 8), 16)
          acc[j]?.set(k.subgroupMatrixMultiplyAccumulate(left, right, acc[j] as never))
        }
      })
      for (const j of each(2)) k.subgroupMatrixStore(c, row.mul(16).add(j * 8), acc[j] as never, 16)
    },
  )
  const value = (i: number) => ((i * 7) % 13) - 6
  const a = Uint16Array.from({ length: 32 * 12 }, (_, i) => f16Bits(value(i)))
  const b = Uint16Array.from({ length: 12 * 16 }, (_, i) => f16Bits(value(i + 5)))
  const c = floats(32 * 16)
  run(k, { a, b, c }, { params: { inner: 12 }, subgroupSize: 16 })
  const list = (n: number, from: number) => Array.from({ length: n }, (_, i) => value(i + from))
  expect([...c]).toEqual(product(list(32 * 12, 0), list(12 * 16, 5), 32, 16, 12))
})

test('column-major loads and stores, products without a sum, operations with a scalar', () => {
  const L = subgroupMatrix('left', i32, { rows: 2, cols: 3 })
  const R = subgroupMatrix('right', i32, { rows: 3, cols: 2 })
  const k = kernel(
    'k',
    {
      workgroupSize: [4],
      bindings: { a: input(d.arrayOf(d.i32)), b: input(d.arrayOf(d.i32)), c: output(d.arrayOf(d.i32)) },
    },
    ({ a, b, c }, k) => {
      const left = k.subgroupMatrixScalarMultiply(k.subgroupMatrixLoad(L, a, 0, 2, 'col'), i32(10))
      const right = k.subgroupMatrixScalarSubtract(
        k.subgroupMatrixScalarAdd(k.subgroupMatrixLoad(R, b, 0, 2), i32(3)),
        i32(2),
      )
      k.subgroupMatrixStore(c as never, 0, k.subgroupMatrixMultiply(left, right), 2, 'col')
    },
  )
  const c = ints(4)
  run(k, { a: ints(6, (i) => i), b: ints(6, (i) => i), c }, { subgroupSize: 4 })
  // a = [0 2 4; 1 3 5] × 10, b = [1 2; 3 4; 5 6]
  expect([...c]).toEqual([260, 350, 320, 440])
})

test('elements beyond an array are zeros and are not written', () => {
  const L = subgroupMatrix('left', f32, { rows: 2, cols: 2 })
  const k = kernel(
    'k',
    { workgroupSize: [4], bindings: { a: input(d.arrayOf(d.f32)), c: output(d.arrayOf(d.f32)) } },
    ({ a, c }, k) => {
      const m = k.subgroupMatrixLoad(L, a, u32(1), 2)
      k.subgroupMatrixStore(c as never, 2, m, 2)
    },
  )
  const c = floats(5, () => -1)
  run(k, { a: floats(4, (i) => i + 1), c }, { subgroupSize: 4 })
  expect([...c]).toEqual([-1, -1, 2, 3, 4])
})

test('bytes; offset and stride count words', () => {
  const L = subgroupMatrix('left', 'i8', { rows: 2, cols: 4 })
  const R = subgroupMatrix('right', 'i8', { rows: 4, cols: 2 })
  const k = kernel(
    'k',
    { workgroupSize: [4], bindings: { a: input(d.arrayOf(d.i32)), c: output(d.arrayOf(d.i32)) } },
    ({ a, c }, k) => {
      const sum = k.var('sum', subgroupMatrix('result', i32, { rows: 2, cols: 2 }))
      sum.set(
        k.subgroupMatrixMultiplyAccumulate(
          k.subgroupMatrixLoad(L, a, 0, 1),
          k.subgroupMatrixLoad(R, a, 2, 1, 'col'),
          sum,
        ),
      )
      k.subgroupMatrixStore(c as never, 0, sum, 2)
    },
  )
  const bytes = Int8Array.from({ length: 16 }, (_, i) => i - 8)
  const c = ints(4)
  run(k, { a: new Int32Array(bytes.buffer), c }, { subgroupSize: 4 })
  const right = [0, 4, 1, 5, 2, 6, 3, 7].map((i) => bytes[8 + i] as number)
  expect([...c]).toEqual(product(bytes.subarray(0, 8), right, 2, 2, 4))
})
