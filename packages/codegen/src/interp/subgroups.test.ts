import { type Builder, d, type Expr, f32, inout, input, kernel, output, u32 } from '@weft/dsl'
import { describe, expect, test } from 'vitest'
import { floats, run, words } from './testing/run'

const U = d.arrayOf(d.u32)
const COUNT = 96

const values = words(COUNT, (i) => (i * 7 + 3) % 32)

function exchanged(size: number, op: (x: Expr<'u32'>, k: Builder) => Expr<'u32'>): number[] {
  const k = kernel('k', { workgroupSize: [COUNT], bindings: { x: input(U), y: output(U) } }, ({ x, y }, k) => {
    y.at(k.localIndex).set(op(x.at(k.localIndex), k))
  })
  const y = words(COUNT)
  run(k, { x: values, y }, { subgroupSize: size })
  return [...y]
}

/** What each invocation should get, from the values of its subgroup and its place in it. */
const expected = (size: number, f: (group: number[], lane: number) => number): number[] =>
  [...values].map((_, i) => f([...values].slice(i - (i % size), i - (i % size) + size), i % size) >>> 0)

const sum = (a: number[]) => a.reduce((x, y) => x + y, 0)
const product = (a: number[]) => a.reduce((x, y) => Math.imul(x, y), 1)

describe.each([4, 8, 16, 32, 64, 128])('subgroups of %i', (size) => {
  const check = (op: (x: Expr<'u32'>, k: Builder) => Expr<'u32'>, f: (group: number[], lane: number) => number) =>
    expect(exchanged(size, op)).toEqual(expected(size, f))

  test('reductions and scans', () => {
    check(
      (x, k) => k.subgroupAdd(x),
      (g) => sum(g),
    )
    check(
      (x, k) => k.subgroupExclusiveAdd(x),
      (g, i) => sum(g.slice(0, i)),
    )
    check(
      (x, k) => k.subgroupInclusiveAdd(x),
      (g, i) => sum(g.slice(0, i + 1)),
    )
    check(
      (x, k) => k.subgroupMul(x.bitOr(1)),
      (g) => product(g.map((v) => v | 1)),
    )
    check(
      (x, k) => k.subgroupExclusiveMul(x.bitOr(1)),
      (g, i) => product(g.slice(0, i).map((v) => v | 1)),
    )
    check(
      (x, k) => k.subgroupInclusiveMul(x.bitOr(1)),
      (g, i) => product(g.slice(0, i + 1).map((v) => v | 1)),
    )
    check(
      (x, k) => k.subgroupMin(x),
      (g) => Math.min(...g),
    )
    check(
      (x, k) => k.subgroupMax(x),
      (g) => Math.max(...g),
    )
    check(
      (x, k) => k.subgroupAnd(x),
      (g) => g.reduce((a, b) => a & b),
    )
    check(
      (x, k) => k.subgroupOr(x),
      (g) => g.reduce((a, b) => a | b),
    )
    check(
      (x, k) => k.subgroupXor(x),
      (g) => g.reduce((a, b) => a ^ b),
    )
  })

  test('votes and elections', () => {
    const bit = (k: Builder, x: Expr<'bool'>) => u32(x).add(k.subgroupSize.mul(0))
    check(
      (x, k) => bit(k, k.subgroupAll(x.lt(31))),
      (g) => Number(g.every((v) => v < 31)),
    )
    check(
      (x, k) => bit(k, k.subgroupAny(x.eq(3))),
      (g) => Number(g.includes(3)),
    )
    check(
      (_, k) => bit(k, k.subgroupElect()),
      (_, i) => Number(i === 0),
    )
    const word = (w: number) => (g: number[]) =>
      g.reduce((bits, v, i) => (v > 9 && i >> 5 === w ? bits | (1 << (i & 31)) : bits), 0)
    check((x, k) => k.subgroupBallot(x.gt(9)).x, word(0))
    check((x, k) => k.subgroupBallot(x.gt(9)).w, word(3))
  })

  test('moves; what lies outside gives the own value', () => {
    check(
      (x, k) => k.subgroupBroadcast(x, 2),
      (g) => g[2] as number,
    )
    check(
      (x, k) => k.subgroupBroadcastFirst(x),
      (g) => g[0] as number,
    )
    check(
      (x, k) => k.subgroupShuffle(x, k.subgroupInvocationId.bitXor(3)),
      (g, i) => g[i ^ 3] as number,
    )
    check(
      (x, k) => k.subgroupShuffleDown(x, 1),
      (g, i) => g[i + 1] ?? (g[i] as number),
    )
    check(
      (x, k) => k.subgroupShuffleUp(x, 2),
      (g, i) => g[i - 2] ?? (g[i] as number),
    )
    check(
      (x, k) => k.subgroupShuffleXor(x, 1),
      (g, i) => g[i ^ 1] as number,
    )
    check(
      (x, k) => k.quadBroadcast(x, 3),
      (g, i) => g[(i & ~3) + 3] as number,
    )
    check(
      (x, k) => k.quadSwapX(x),
      (g, i) => g[i ^ 1] as number,
    )
    check(
      (x, k) => k.quadSwapY(x),
      (g, i) => g[i ^ 2] as number,
    )
    check(
      (x, k) => k.quadSwapDiagonal(x),
      (g, i) => g[i ^ 3] as number,
    )
  })

  test('built-in values', () => {
    check(
      (_, k) => k.subgroupSize,
      () => size,
    )
    check(
      (_, k) => k.subgroupInvocationId,
      (_, i) => i,
    )
    check(
      (_, k) => k.numSubgroups,
      () => Math.ceil(COUNT / size),
    )
    expect(exchanged(size, (_, k) => k.subgroupId)).toEqual([...values].map((_, i) => Math.floor(i / size)))
  })
})

test('sums of floats are rounded at each step, in the order of the invocations; vectors lane by lane', () => {
  const k = kernel(
    'k',
    { workgroupSize: [8], bindings: { x: input(d.arrayOf(d.vec2f)), y: output(d.arrayOf(d.vec2f)) } },
    ({ x, y }, k) => {
      y.at(k.localIndex).set(k.subgroupAdd(x.at(k.localIndex)))
    },
  )
  const x = floats(16, (i) => 1 / (i + 3))
  const y = floats(16)
  run(k, { x, y }, { subgroupSize: 8 })
  const fold = (lane: number) =>
    [0, 1, 2, 3, 4, 5, 6, 7].reduce(
      (s, i) => (i === 0 ? (x[lane] as number) : Math.fround(s + (x[2 * i + lane] as number))),
      0,
    )
  expect([...y.subarray(0, 2)]).toEqual([fold(0), fold(1)])
})

test('subgroup operations and barriers in one uniform loop', () => {
  const k = kernel('k', { workgroupSize: [64], bindings: { y: inout(d.arrayOf(d.f32)) } }, ({ y }, k) => {
    const tile = k.workgroup('tile', f32, 8)
    k.range('r', 3, () => {
      const s = k.let('s', k.subgroupAdd(y.at(k.localIndex)))
      k.if(k.subgroupElect(), () => tile.at(k.subgroupId).set(s))
      k.workgroupBarrier()
      y.at(k.localIndex).set(tile.at(k.localIndex.rem(8)).mul(0.125))
      k.workgroupBarrier()
    })
  })
  const y = floats(64, () => 1)
  run(k, { y }, { subgroupSize: 8 })
  expect([...y]).toEqual([...floats(64, () => 1)])
})
