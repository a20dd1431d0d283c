import { d, f32, fn, func, i32, inout, input, kernel, output, ptr, u32, vec4f } from '@weft/dsl'
import { expect, test } from 'vitest'
import { floats, ints, run, words } from './testing/run'

const U = d.arrayOf(d.u32)

test('let copies and a var is read at each mention', () => {
  const k = kernel('k', { workgroupSize: [1], bindings: { y: output(U) } }, ({ y }, k) => {
    const v = k.var('v', u32(1))
    const before = k.let('before', v)
    v.set(5)
    y.at(0).set(before)
    y.at(1).set(v)
  })
  const y = words(2)
  run(k, { y })
  expect([...y]).toEqual([1, 5])
})

test('if, else if, else', () => {
  const k = kernel('k', { workgroupSize: [4], bindings: { y: output(U) } }, ({ y }, k) => {
    const i = k.localIndex
    k.if(i.eq(0), () => y.at(i).set(10))
      .elseIf(i.eq(1), () => y.at(i).set(11))
      .else(() => y.at(i).set(12))
  })
  const y = words(4)
  run(k, { y })
  expect([...y]).toEqual([10, 11, 12, 12])
})

test('switch: no fall-through, several selectors, default, break', () => {
  const k = kernel('k', { workgroupSize: [6], bindings: { y: output(U) } }, ({ y }, k) => {
    const i = k.localIndex
    k.switch(i, (c) => {
      c.case(0, () => y.at(i).set(100))
      c.case([1, 2], () => {
        k.if(i.eq(2), () => k.break())
        y.at(i).set(101)
      })
      c.default(() => y.at(i).set(109))
    })
  })
  const y = words(6)
  run(k, { y })
  expect([...y]).toEqual([100, 101, 0, 109, 109, 109])
})

test('range up, by steps, and down to i32 bounds', () => {
  const k = kernel(
    'k',
    { workgroupSize: [1], bindings: { y: output(U), z: output(d.arrayOf(d.i32)) } },
    ({ y, z }, k) => {
      const n = k.var('n', u32(0))
      const sum = k.var('sum', i32(0))
      k.range('a', 2, 11, 3, (a) => {
        y.at(n).set(a)
        n.addAssign(1)
      })
      k.range('b', i32(5), i32(-1), i32(-2), (b) => sum.set(sum.mul(10).add(b)))
      z.at(0).set(sum)
    },
  )
  const y = words(4)
  const z = ints(1)
  run(k, { y, z })
  expect([...y]).toEqual([2, 5, 8, 0])
  expect([...z]).toEqual([531])
})

test('loop with continuing and break if, break, continue, while', () => {
  const k = kernel('k', { workgroupSize: [1], bindings: { y: output(U) } }, ({ y }, k) => {
    const i = k.var('i', u32(0))
    const odd = k.var('odd', u32(0))
    k.loop(
      () => {
        k.if(i.rem(2).eq(0), () => k.continue())
        odd.addAssign(i)
      },
      () => {
        i.addAssign(1)
        return i.ge(10)
      },
    )
    y.at(0).set(odd)
    const w = k.var('w', u32(1))
    k.while(
      () => w.lt(1000),
      () => {
        k.if(w.gt(100), () => k.break())
        w.mulAssign(3)
      },
    )
    y.at(1).set(w)
  })
  const y = words(2)
  run(k, { y })
  expect([...y]).toEqual([25, 243])
})

test('return ends the invocation', () => {
  const k = kernel('k', { workgroupSize: [4], bindings: { y: output(U) } }, ({ y }, k) => {
    k.range('i', 5, (i) => {
      k.if(i.gt(k.localIndex), () => k.return())
      y.at(k.localIndex).set(i.add(1))
    })
    y.at(k.localIndex).set(99)
  })
  const y = words(4)
  run(k, { y })
  expect([...y]).toEqual([1, 2, 3, 4])
})

test('functions: early return, value parameters, calls of calls', () => {
  const sign = func('sign3(x)', [i32], (x, k) => {
    k.if(x.lt(0), () => k.return(i32(-1)))
    k.range('i', 3, (i) => k.if(x.eq(i32(i)), () => k.return(x)))
    return i32(3)
  })
  const twice = func('twice(x)', [i32], (x) => sign(x).add(sign(x.add(1))))
  const k = kernel(
    'k',
    { workgroupSize: [8], bindings: { x: input(d.arrayOf(d.i32)), y: output(d.arrayOf(d.i32)) } },
    ({ x, y }, k) => {
      y.at(k.localIndex).set(twice(x.at(k.localIndex)))
    },
  )
  const x = ints(8, (i) => i - 3)
  const y = ints(8)
  run(k, { x, y })
  const s = (v: number) => (v < 0 ? -1 : Math.min(v, 3))
  expect([...y]).toEqual([...x].map((v) => s(v) + s(v + 1)))
})

test('pointer parameters write the variable, element or member that they are given', () => {
  const bump = func('bump(p, by)', [ptr('function', f32), f32], (p, by) => {
    p.addAssign(by)
    return p
  })
  const k = kernel('k', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) } }, ({ y }, k) => {
    const v = k.var('v', f32(1))
    const list = k.var('list', d.arrayOf(d.f32, 4))
    bump(v, f32(2))
    k.range('i', 3, (i) => {
      bump(list.at(i.add(1)), f32(i))
    })
    y.at(0).set(bump(v, f32(10)))
    k.range('i', 4, (i) => y.at(i.add(1)).set(list.at(i)))
  })
  const y = floats(5)
  run(k, { y })
  expect([...y]).toEqual([13, 0, 0, 1, 2])
})

test('private variables are seen by functions and start anew for each invocation', () => {
  const k = kernel('k', { workgroupSize: [3], bindings: { y: output(U) } }, ({ y }, k) => {
    const count = k.private('count', u32(7))
    const add = func('add(x)', [u32], (x) => {
      count.addAssign(x)
      return count
    })
    add(k.localIndex)
    y.at(k.globalIndex).set(k.call(add, u32(1)))
  })
  const y = words(6)
  run(k, { y }, { workgroups: [2] })
  expect([...y]).toEqual([8, 9, 10, 8, 9, 10])
})

test('select evaluates both sides, when reads lazily', () => {
  const k = kernel(
    'k',
    { workgroupSize: [4], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) } },
    ({ x, y }, k) => {
      const i = k.localIndex
      const v = k.when(i.lt(2), () => x.at(i), -1)
      y.at(i).set(fn.select(v, v.mul(2), i.eq(1)))
    },
  )
  const y = floats(4)
  run(k, { x: floats(4, (i) => i + 1), y })
  expect([...y]).toEqual([1, 4, -1, -1])
})

test('constant tables, arrays with dynamic indices, lanes by index', () => {
  const k = kernel('k', { workgroupSize: [4], bindings: { y: output(d.arrayOf(d.f32)) } }, ({ y }, k) => {
    const table = k.const('table', d.f32, [4, 3, 2, 1])
    const v = k.var('v', vec4f(1, 2, 3, 4))
    const i = k.localIndex
    v.at(i).set(9)
    y.at(i).set(table.at(i))
    y.at(i.add(4)).set(v.at(i).add(v.x))
  })
  const y = floats(8)
  run(k, { y })
  expect([...y]).toEqual([4, 3, 2, 1, 18, 10, 10, 10])
})

test('atomics give the value before, and compare-exchange whether it exchanged', () => {
  const k = kernel(
    'k',
    {
      workgroupSize: [8],
      bindings: { a: inout(d.arrayOf(d.atomic(d.u32))), s: inout(d.arrayOf(d.atomic(d.i32))), y: output(U) },
    },
    ({ a, s, y }, k) => {
      const i = k.localIndex
      y.at(i).set(a.at(0).add(i.add(1)))
      a.at(1).max(i)
      a.at(2).min(i.add(3))
      a.at(3).or(u32(1).shl(i))
      a.at(4).xor(i)
      s.at(0).sub(i32(i))
      s.at(1).min(i32(0).sub(i32(i)))
      const cas = a.at(5).compareExchangeWeak(i, i.add(1))
      k.if(cas.exchanged, () => a.at(6).add(1))
      a.at(7).exchange(i)
    },
  )
  const a = words(8, (i) => (i === 2 ? 100 : 0))
  const s = ints(2)
  const y = words(8)
  run(k, { a, s, y })
  expect([...y]).toEqual([0, 1, 3, 6, 10, 15, 21, 28])
  expect([...a]).toEqual([36, 7, 3, 255, 0, 8, 8, 7])
  expect([...s]).toEqual([-28, -7])
})
