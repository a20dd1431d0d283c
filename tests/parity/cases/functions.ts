import { d, f32, fn, func, input, kernel, output, ptr, u32, vec2f } from '@weft/dsl'
import { f32s, partly, u32s } from '../data.js'
import { chorus, story } from './story.js'

const Pair = d.struct({ a: d.u32, b: d.u32 }).$name('Pair')
const double = func('double(a)', [u32], (a) => a.mul(2))
const quadruple = func('quadruple(a)', [u32], (a) => double(double(a)))
const length2 = func('length_squared(v)', [vec2f], (v) => fn.dot(v, v))
const bump = func('bump(p, by)', [ptr('function', u32), u32], (p, by) => p.addAssign(by))
const bumpPrivate = func('bump_private(p)', [ptr('private', u32)], (p) => p.mulAssign(3))
const swap = func('swap(a, b)', [ptr('function', u32), ptr('function', u32)], (a, b, k) => {
  const old = k.let('old', a)
  a.set(b)
  b.set(old)
})
const fill = func('fill(a, with)', [ptr('function', d.arrayOf(d.u32, 3)), u32], (a, value, k) => {
  k.range('i', 3, (i) => a.at(i).set(value.add(i)))
})
const setField = func('set_field(p)', [ptr('function', Pair)], (p) => p.b.set(p.a.add(1)))
const sumPair = func('sum_pair(p)', [Pair], (p) => p.a.add(p.b))
const sumArray = func('sum_array(a)', [d.arrayOf(d.u32, 3)], (a) => a.at(0).add(a.at(1)).add(a.at(2)))
const fibonacci = func('fibonacci(n)', [u32], (n, k) => {
  const { a, b } = k.var({ a: u32(0), b: u32(1) })
  k.range('i', n, () => {
    const next = k.let('next', a.add(b))
    a.set(b)
    b.set(next)
  })
  return a
})
const twice = func('twice(p)', [ptr('function', u32)], (p) => {
  bump(p, u32(1))
  bump(p, u32(10))
})
const readOnly = func('read_only(p)', [ptr('storage', d.arrayOf(d.u32))], (p) => p.at(1).add(p.at(2)))
const total = func('total(p)', [ptr('workgroup', d.arrayOf(d.u32, 4))], (p) =>
  p.at(0).add(p.at(1)).add(p.at(2)).add(p.at(3)),
)

/** Functions with values and pointers. */
export const functions = [
  chorus(
    'a function of a value',
    6,
    (i) => 2 * i,
    (i) => double(i),
  ),
  chorus(
    'functions that call functions',
    6,
    (i) => 4 * i,
    (i) => quadruple(i),
  ),
  chorus(
    'a function with variables and loops',
    10,
    (i) => [0, 1, 1, 2, 3, 5, 8, 13, 21, 34][i]!,
    (i) => fibonacci(i),
  ),
  story('a vector argument', [{ f: 25 }], ({ put, f }) => put(length2(vec2f(f(3), f(4))))),
  story('a pointer to a variable', [8, 13], ({ k, put, n }) => {
    const v = k.var('v', n(3))
    bump(v, n(5))
    put(v)
    bump(v, n(5))
    put(v)
  }),
  story('two pointers', [2, 1], ({ k, put, n }) => {
    const { a, b } = k.var({ a: n(1), b: n(2) })
    swap(a, b)
    put(a, b)
  }),
  story('a pointer to an array', [7, 8, 9], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.u32, 3))
    fill(a, n(7))
    put(a.at(0), a.at(1), a.at(2))
  }),
  story('a pointer to a struct', [4, 5], ({ k, put, n }) => {
    const p = k.var('p', Pair)
    p.a.set(n(4))
    setField(p)
    put(p.a, p.b)
  }),
  story('a pointer to an element', [0, 5, 0], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.u32, 3))
    bump(a.at(1), n(5))
    put(a.at(0), a.at(1), a.at(2))
  }),
  story('a pointer to a field', [0, 6], ({ k, put, n }) => {
    const p = k.var('p', Pair)
    bump(p.b, n(6))
    put(p.a, p.b)
  }),
  story('a pointer handed on', [14], ({ k, put, n }) => {
    const v = k.var('v', n(3))
    twice(v)
    put(v)
  }),
  story('a pointer to a private variable', [12], ({ k, put, n }) => {
    const v = k.private('kept', u32)
    v.set(n(4))
    bumpPrivate(v)
    put(v)
  }),
  story('structs and arrays as values', [9, 6], ({ k, put, n }) => {
    const p = k.var('p', Pair)
    p.a.set(n(4))
    p.b.set(n(5))
    const a = k.var('a', d.arrayOf(d.u32, 3))
    ;[1, 2, 3].forEach((x, i) => void a.at(i).set(x))
    put(sumPair(p as never), sumArray(a as never))
  }),
  story('arguments are evaluated before the call', [1, 6], ({ k, put, n }) => {
    const v = k.var('v', n(1))
    const before = double(v)
    bump(v, n(5))
    put(before.div(2), v)
  }),
  {
    name: 'a pointer to storage',
    kernel: kernel(
      'storage_pointer',
      {
        workgroupSize: [1],
        bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ x, out }) => {
        out.at(0).set(readOnly(x as never))
      },
    ),
    bindings: { x: u32s(1, 20, 300), out: partly(2, u32s()) },
    expect: { out: partly(2, u32s(320)) },
  },
  {
    name: 'a pointer to workgroup memory',
    kernel: kernel(
      'workgroup_pointer',
      { workgroupSize: [4], bindings: { out: output(d.arrayOf(d.u32)) }, workgroups: () => [1], guards: 'off' },
      ({ out }, k) => {
        const shared = k.workgroup('tile', d.arrayOf(d.u32, 4))
        shared.at(k.localIndex).set(k.localIndex.add(1))
        k.workgroupBarrier()
        out.at(k.localIndex).set(total(shared).add(k.localIndex))
      },
    ),
    bindings: { out: partly(5, u32s()) },
    expect: { out: partly(5, u32s(10, 11, 12, 13)) },
  },
  {
    name: 'gelu as a function',
    kernel: kernel(
      'gelu_kernel',
      {
        workgroupSize: [4],
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ x, y }, k) => {
        const gelu = func(
          'gelu(x)',
          [f32],
          (v) => f32`0.5 * ${v} * (1 + tanh(0.7978845608 * (${v} + 0.044715 * ${v} * ${v} * ${v})))`,
        )
        const i = k.localIndex
        y.at(i).set(gelu(x.at(i)))
      },
    ),
    bindings: { x: f32s(-2, -0.5, 0.5, 2), y: partly(5, f32s()) },
    tolerance: {
      kind: 'near' as const,
      abs: 2e-5,
      rel: 1e-6,
      because: 'tanh has an absolute error of 1e-5 by the specification, here times x/2 ≤ 1, and five roundings',
    },
  },
]
