import { d, type Expr, i32, inout, kernel, output, u32 } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { i32s, partly, u32of, u32s } from '../data.js'

const counters = d.arrayOf(d.atomic(d.u32))
const signed = d.arrayOf(d.atomic(d.i32))

type U = {
  add(v: unknown): unknown
  sub(v: unknown): unknown
  max(v: unknown): unknown
  min(v: unknown): unknown
  and(v: unknown): unknown
  or(v: unknown): unknown
  xor(v: unknown): unknown
}

/** 64 invocations of 4 workgroups update one cell by a commutative operation. */
const commutative = (
  op: keyof U,
  first: number,
  value: (i: Expr<'u32'>) => Expr<'u32'>,
  js: (a: number, i: number) => number,
): ParityCase => ({
  name: `atomic ${op} by many invocations`,
  kernel: kernel(
    `atomic_${op}`,
    { workgroupSize: [16], bindings: { m: inout(counters) }, workgroups: () => [4], guards: 'off' },
    ({ m }, k) => {
      ;(m.at(1) as unknown as U)[op](value(k.globalIndex))
    },
  ),
  bindings: { m: u32s(7, first, 8) },
  expect: { m: u32s(7, Array.from({ length: 64 }, (_, i) => i).reduce(js, first) >>> 0, 8) },
})

const commutativeSigned = (op: keyof U, first: number, js: (a: number, v: number) => number): ParityCase => ({
  name: `atomic ${op} of i32 by many invocations`,
  kernel: kernel(
    `atomic_i_${op}`,
    { workgroupSize: [16], bindings: { m: inout(signed) }, workgroups: () => [2], guards: 'off' },
    ({ m }, k) => {
      ;(m.at(0) as unknown as U)[op](i32(k.globalIndex).sub(20).mul(3))
    },
  ),
  bindings: { m: i32s(first) },
  expect: { m: i32s(Array.from({ length: 32 }, (_, i) => (i - 20) * 3).reduce((a, v) => js(a, v), first)) },
})

/** One invocation after the other cannot be had, so one alone looks at what each operation gives back. */
const returned = (type: 'u32' | 'i32'): ParityCase => {
  const T = type === 'u32' ? u32 : i32
  const one = (x: number): Expr<'u32'> => T(x) as Expr<'u32'>
  return {
    name: `what atomics of ${type} give back`,
    kernel: kernel(
      `atomic_returns_${type}`,
      {
        workgroupSize: [1],
        bindings: {
          m: inout(type === 'u32' ? counters : (signed as unknown as typeof counters)),
          out: output(d.arrayOf(d.u32)),
        },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ m, out }, k) => {
        const cell = m.at(0)
        let at = 0
        const put = (v: Expr<'u32'>): void => out.at(at++).set(u32(v))
        put(cell.add(one(5)))
        put(cell.sub(one(1)))
        put(cell.max(one(50)))
        put(cell.min(one(20)))
        put(cell.and(one(0x1c)))
        put(cell.or(one(3)))
        put(cell.xor(one(1)))
        put(cell.exchange(one(9)))
        put(cell.load())
        cell.store(one(1))
        put(cell.load())
        const cas = k.var('tries', u32(0))
        const done = k.var('done', u32(0))
        k.while(
          () => done.eq(0).and(cas.lt(100)),
          () => {
            const { old, exchanged } = cell.compareExchangeWeak(one(1), one(77))
            k.if(exchanged, () => {
              done.set(u32(old).add(1))
            })
            cas.addAssign(1)
          },
        )
        put(done)
        const { old, exchanged } = cell.compareExchangeWeak(one(1), one(5))
        put(old)
        put(u32(exchanged))
        put(cell.load())
      },
    ),
    bindings: { m: u32s(10), out: partly(15, u32s()) },
    expect: { m: u32s(77), out: partly(15, u32s(10, 15, 14, 50, 20, 20, 23, 22, 9, 1, 2, 77, 0, 77)) },
  }
}

/** Atomics in storage and workgroup memory. */
export const atomics: readonly ParityCase[] = [
  commutative(
    'add',
    5,
    (i) => i,
    (a, i) => a + i,
  ),
  commutative(
    'sub',
    5000,
    (i) => i,
    (a, i) => a - i,
  ),
  commutative(
    'max',
    3,
    (i) => i.mul(7).rem(61),
    (a, i) => Math.max(a, (i * 7) % 61),
  ),
  commutative(
    'min',
    100,
    (i) => i.mul(7).rem(61).add(2),
    (a, i) => Math.min(a, ((i * 7) % 61) + 2),
  ),
  commutative(
    'and',
    0xffffffff,
    (i) => u32(1).shl(i.rem(32)).bitNot(),
    (a, i) => a & ~(1 << (i % 32)),
  ),
  commutative(
    'or',
    0,
    (i) => u32(1).shl(i.rem(20)),
    (a, i) => a | (1 << (i % 20)),
  ),
  commutative(
    'xor',
    9,
    (i) => i.mul(0x1234567),
    (a, i) => a ^ Math.imul(i, 0x1234567),
  ),
  commutativeSigned('add', -3, (a, v) => a + v),
  commutativeSigned('max', -100, Math.max),
  commutativeSigned('min', 100, Math.min),
  returned('u32'),
  returned('i32'),
  {
    name: 'a histogram',
    kernel: kernel(
      'histogram',
      { workgroupSize: [32], bindings: { bins: inout(counters) }, workgroups: () => [8], guards: 'off' },
      ({ bins }, k) => {
        bins.at(k.globalIndex.mul(k.globalIndex).rem(8)).add(1)
      },
    ),
    bindings: { bins: u32s(0, 0, 0, 0, 0, 0, 0, 0, 55) },
    expect: {
      bins: (() => {
        const bins = u32s(0, 0, 0, 0, 0, 0, 0, 0, 55)
        for (let i = 0; i < 256; i++) bins[(i * i) % 8]! += 1
        return bins
      })(),
    },
  },
  {
    name: 'a counter hands out each place once',
    kernel: kernel(
      'tickets',
      {
        workgroupSize: [16],
        bindings: { next: inout(counters), taken: inout(counters) },
        workgroups: () => [4],
        guards: 'off',
      },
      ({ next, taken }) => {
        taken.at(next.at(0).add(1)).add(1)
      },
    ),
    bindings: { next: u32s(0), taken: u32of(66, () => 0) },
    expect: { next: u32s(64), taken: u32of(66, (i) => (i < 64 ? 1 : 0)) },
  },
  {
    name: 'a CAS loop adds floats that are whole numbers',
    kernel: kernel(
      'cas_add',
      { workgroupSize: [8], bindings: { m: inout(counters) }, workgroups: () => [4], guards: 'off' },
      ({ m }, k) => {
        const mine = k.let('mine', k.globalIndex.add(1))
        const seen = k.var('seen', m.at(0).load())
        k.loop(() => {
          const { old, exchanged } = m.at(0).compareExchangeWeak(seen, seen.add(mine))
          k.if(exchanged, () => k.break())
          seen.set(old)
        })
      },
    ),
    bindings: { m: u32s(0) },
    expect: { m: u32s((32 * 33) / 2) },
  },
  {
    name: 'atomics in workgroup memory, several workgroups',
    kernel: kernel(
      'local_counts',
      { workgroupSize: [16], bindings: { out: output(d.arrayOf(d.u32)) }, workgroups: () => [3], guards: 'off' },
      ({ out }, k) => {
        const cells = k.workgroup('cells', d.arrayOf(d.atomic(d.u32), 4))
        cells.at(k.localIndex.rem(4)).add(k.workgroupIndex.add(1))
        k.workgroupBarrier()
        k.if(k.localIndex.lt(4), () =>
          out.at(k.workgroupIndex.mul(4).add(k.localIndex)).set(cells.at(k.localIndex).load()),
        )
      },
    ),
    bindings: { out: partly(13, u32s()) },
    expect: {
      out: partly(
        13,
        u32of(12, (i) => 4 * (Math.floor(i / 4) + 1)),
      ),
    },
  },
  {
    name: 'atomics on negative numbers and the sign bit',
    kernel: kernel(
      'signed_edges',
      { workgroupSize: [1], bindings: { m: inout(signed), u: inout(counters) }, workgroups: () => [1], guards: 'off' },
      ({ m, u }) => {
        m.at(0).max(-5)
        m.at(1).min(-5)
        m.at(2).add(1)
        u.at(0).max(0x80000000)
        u.at(1).min(0x80000000)
        u.at(2).sub(1)
      },
    ),
    bindings: { m: i32s(-10, 10, 2147483647), u: u32s(5, 0xffffffff, 0) },
    expect: { m: i32s(-5, -5, -2147483648), u: u32s(0x80000000, 0x80000000, 0xffffffff) },
  },
]
