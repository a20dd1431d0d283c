import {
  buffer,
  d,
  f16,
  f32,
  func,
  i32,
  inout,
  input,
  kernel,
  mat3x3f,
  output,
  ptr,
  u32,
  uniform,
  vec3f,
} from '@weft/dsl'
import { f16FromBits } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import type { OutOfRange } from './memory'
import { floats, ints, run, words } from './testing/run'

const F = d.arrayOf(d.f32)

test('vec3 has a stride of 16 and a scalar behind it fits at 12', () => {
  const S = d.struct({ p: d.vec3f, w: d.f32, q: d.vec3f })
  const k = kernel(
    'k',
    { workgroupSize: [2], bindings: { s: inout(d.arrayOf(S)), v: inout(d.arrayOf(d.vec3f)) } },
    ({ s, v }, k) => {
      const i = k.localIndex
      s.at(i).q.set(s.at(i).p.mul(s.at(i).w))
      v.at(i).set(v.at(i).add(vec3f(1, 2, 3)))
    },
  )
  const s = floats(16, (i) => i)
  const v = floats(8, () => 10)
  run(k, { s, v })
  expect([...s]).toEqual([0, 1, 2, 3, 0, 3, 6, 7, 8, 9, 10, 11, 88, 99, 110, 15])
  expect([...v]).toEqual([11, 12, 13, 10, 11, 12, 13, 10])
})

test('matrices lie in columns of vec3, padded', () => {
  const k = kernel(
    'k',
    {
      workgroupSize: [1],
      bindings: { m: input(d.mat3x3f), y: output(d.arrayOf(d.vec3f)), n: output(d.arrayOf(d.mat3x3f)) },
    },
    ({ m, y, n }, k) => {
      k.range('c', 3, (c) => y.at(c).set(m.at(c)))
      y.at(3).set(m.mul(vec3f(1, 10, 100)))
      n.at(0).set(mat3x3f(1, 2, 3, 4, 5, 6, 7, 8, 9))
    },
  )
  const m = floats(12, (i) => i)
  const y = floats(16, () => -1)
  const n = floats(12, () => -1)
  run(k, { m, y, n })
  expect([...y]).toEqual([0, 1, 2, -1, 4, 5, 6, -1, 8, 9, 10, -1, 840, 951, 1062, -1])
  expect([...n]).toEqual([1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1])
})

test('nested arrays and structs, copied whole and by parts; padding stays', () => {
  const Inner = d.struct({ a: d.u32, v: d.vec2u })
  const Outer = d.struct({ head: d.u32, list: d.arrayOf(Inner, 2), tail: d.i32 })
  const k = kernel(
    'k',
    { workgroupSize: [1], bindings: { x: input(d.arrayOf(Outer)), y: inout(d.arrayOf(Outer)) } },
    ({ x, y }, k) => {
      y.at(0).set(x.at(1))
      const copy = k.var('copy', Outer)
      copy.set(x.at(0))
      copy.list.at(1).a.addAssign(5)
      copy.tail.set(i32(-3))
      const j = k.let('j', y.at(0).list.at(0).a.rem(2))
      y.at(1).list.at(j).set(copy.list.at(1))
      y.at(1).tail.set(copy.tail)
    },
  )
  // head, –, [a, –, v, v] × 2, tail, –: 12 words.
  const x = words(24, (i) => i)
  const y = words(24, () => 77)
  run(k, { x, y })
  expect([...y.subarray(0, 12)]).toEqual([12, 77, 14, 77, 16, 17, 18, 77, 20, 21, 22, 77])
  expect([...y.subarray(12)]).toEqual([77, 77, 11, 77, 8, 9, 77, 77, 77, 77, 2 ** 32 - 3, 77])
})

test('a struct that ends in a runtime-sized array has as many elements as fit', () => {
  const S = d.struct({ n: d.u32, list: d.arrayOf(d.vec2f, 1) })
  const k = kernel(
    'k',
    { workgroupSize: [1], bindings: { x: input(d.arrayOf(d.vec2f)), s: input(S), y: output(d.arrayOf(d.u32)) } },
    ({ x, s, y }) => {
      y.at(0).set(x.length)
      y.at(1).set(s.n)
    },
  )
  const y = words(2)
  run(k, { x: floats(11), s: words(4, () => 9), y })
  expect([...y]).toEqual([5, 9])
})

test('who watches is told of indices out of range of a binding, and nothing else changes', () => {
  const k = kernel(
    'k',
    { workgroupSize: [3], bindings: { at: input(d.arrayOf(d.i32)), x: input(F), y: output(F) }, guards: 'off' },
    ({ at, x, y }, k) => {
      const i = k.localIndex
      y.at(i).set(x.at(at.at(i)))
    },
  )
  const told: OutOfRange[] = []
  const y = floats(2)
  run(k, { at: ints(3, (i) => [1, -1, 0][i] as number), x: floats(2, (i) => i + 1), y }, { watch: (a) => told.push(a) })
  expect([...y]).toEqual([2, 2])
  expect(told.map(({ binding, does, index, length }) => [binding, does, index, length])).toEqual([
    ['x', 'read', -1, 2],
    ['y', 'write', 2, 2],
  ])
  expect(told[0]).toMatchObject({ kernel: 'k', variant: 'portable' })
  expect(k.positions()[told[0]?.at as number]?.file).toContain('memory.test.ts')
})

test('an index out of range reads the last element and writes nothing', () => {
  const k = kernel(
    'k',
    {
      workgroupSize: [1],
      guards: 'off',
      bindings: { x: input(F), at: input(d.arrayOf(d.i32)), y: output(F), z: inout(F) },
    },
    ({ x, at, y, z }, k) => {
      k.range('i', 4, (i) => {
        y.at(i).set(x.at(at.at(i)))
        z.at(at.at(i)).set(99)
      })
      const local = k.var('local', d.arrayOf(d.f32, 3))
      k.range('i', 4, (i) => local.at(at.at(i)).set(5))
      y.at(4).set(local.at(at.at(1)))
      y.at(5).set(local.at(at.at(0)))
    },
  )
  const y = floats(6)
  const z = floats(4)
  run(k, { x: floats(4, (i) => i + 1), at: ints(4, (i) => [1, -1, 4, 2147483647][i] as number), y, z })
  expect([...y]).toEqual([2, 4, 4, 4, 0, 5])
  expect([...z]).toEqual([0, 99, 0, 0])
})

test('a binding of a part of a buffer never touches the rest', () => {
  const k = kernel('k', { workgroupSize: [8], guards: 'off', bindings: { y: output(F) } }, ({ y }, k) =>
    y.at(k.localIndex).set(1),
  )
  const whole = floats(16)
  run(k, { y: whole.subarray(4, 8) })
  expect([...whole]).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
})

test('f16 in memory is rounded and has two bytes', () => {
  const bits = Uint16Array.of(0x3c00, 0x4248, 0x7bff, 0x0001)
  const v = new Uint16Array(16).fill(0x3c00)
  const y = floats(4)
  const k = kernel(
    'k',
    { workgroupSize: [4], bindings: { x: input(d.arrayOf(d.f16)), v: inout(d.arrayOf(d.vec3h)), y: output(F) } },
    ({ x, v, y }, k) => {
      const i = k.localIndex
      const h = k.let('h', x.at(i).mul(x.at(i)).add(f16(0.1)))
      y.at(i).set(f32(h))
      v.at(i).set(v.at(i).add(x.at(i)))
    },
  )
  run(k, { x: bits, v, y })
  expect(y[0]).toBe(1.099609375)
  expect(y[2]).toBe(Infinity)
  expect([...v.subarray(0, 4)].map(f16FromBits)).toEqual([2, 2, 2, 1])
  expect([...v.subarray(4, 8)].map(f16FromBits)).toEqual([4.140625, 4.140625, 4.140625, 1])
})

test('bool in workgroup memory, uniform buffers, several names for one buffer', () => {
  const P = d.struct({ scale: d.f32, off: d.vec2f })
  const k = kernel(
    'k',
    { workgroupSize: [4], bindings: { p: uniform(P), x: input(F), y: output(F) } },
    ({ p, x, y }, k) => {
      const flags = k.workgroup('flags', d.bool, 4)
      const i = k.localIndex
      flags.at(i).set(x.at(i).gt(1))
      k.workgroupBarrier()
      y.at(i).set(k.when(flags.at(u32(3).sub(i)), () => x.at(i).mul(p.scale).add(p.off.y), 0))
    },
  )
  const x = floats(4, (i) => i)
  run(k, { p: floats(4, (i) => i + 1), x, y: x })
  expect([...x]).toEqual([4, 5, 0, 0])
})

test('buffer views read the same bytes as other types', () => {
  const k = kernel(
    'k',
    { workgroupSize: [1], bindings: { b: input(buffer()), y: output(d.arrayOf(d.u32)) } },
    ({ b, y }, k) => {
      const at = k.let('at', b.byteLength.sub(8))
      y.at(0).set(b.view(d.u32, 4))
      y.at(1).set(b.view(d.vec2u, at).y)
      const list = b.view(d.arrayOf(d.u32), 8)
      y.at(2).set(list.length)
      k.range('i', 2, (i) => y.at(i.add(3)).set(list.at(i)))
    },
  )
  const y = words(5)
  run(k, { b: words(6, (i) => i * 11), y })
  expect([...y]).toEqual([11, 55, 4, 22, 33])
})

test('pointers into storage and workgroup memory', () => {
  const total = func('total(p, n)', [ptr('storage', F), u32], (p, n, k) => {
    const sum = k.var('sum', u32(0))
    k.range('i', n, (i) => sum.addAssign(u32(p.at(i))))
    return sum
  })
  const k = kernel('k', { workgroupSize: [1], bindings: { x: input(F), y: output(d.arrayOf(d.u32)) } }, ({ x, y }) =>
    y.at(0).set(total(x as never, u32(4))),
  )
  const y = words(1)
  run(k, { x: floats(4, (i) => i + 0.5), y })
  expect([...y]).toEqual([6])
})
