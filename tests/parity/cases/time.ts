import { d, f32, fn, inout, kernel, u32, vec2u } from '@weft/dsl'
import { u32s } from '../data.js'
import { story } from './story.js'

const inPlace = (name: string, body: Parameters<typeof build>[1], before: number[], after: number[]) => ({
  name,
  kernel: build(name, body),
  bindings: { m: u32s(...before) },
  expect: { m: u32s(...after) },
})

const build = (
  name: string,
  body: (m: { at(i: number | ReturnType<typeof u32>): ReturnType<typeof refs> }, k: Builder) => void,
) =>
  kernel(
    name.replace(/\W+/g, '_'),
    { workgroupSize: [1], bindings: { m: inout(d.arrayOf(d.u32)) }, workgroups: () => [1], guards: 'off' },
    ({ m }, k) => body(m, k),
  )

import type { Builder, VarRef } from '@weft/dsl'

declare function refs(): VarRef<'u32'>

/** Reads happen where they are written, whatever happens between them and their use. */
export const time = [
  story('an expression of a variable keeps the old value', [2, 5], ({ k, put, n }) => {
    const acc = k.var('acc', n(1))
    const t = acc.add(1)
    acc.set(5)
    put(t, acc)
  }),
  story('an element read before it is written', [0, 9], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.u32, 2))
    const old = a.at(n(1))
    a.at(1).set(9)
    put(old, a.at(1))
  }),
  story('a lane read before it is written', [3, 8, 4], ({ k, put, n }) => {
    const v = k.var('v', vec2u(n(3), n(4)))
    const x = v.x
    v.x.set(8)
    put(fn.max(x, 0), v.x, v.y)
  }),
  story('a value from before a loop that changes it', [1, 6, 7], ({ k, put, n }) => {
    const acc = k.var('acc', n(1))
    const before = acc.mul(1)
    k.range('i', n(5), () => acc.addAssign(1))
    put(before, acc, before.add(acc))
  }),
  story('a value from before a branch that changes it', [1, 9], ({ k, put, n }) => {
    const acc = k.var('acc', n(1))
    const before = acc.add(0)
    k.if(n(1).eq(1), () => acc.set(9))
    put(before, acc)
  }),
  story('a chain of old values', [1, 2, 3, 6], ({ k, put, n }) => {
    const v = k.var('v', n(1))
    const a = v.add(0)
    v.set(2)
    const b = v.add(0)
    v.set(3)
    const c = v.add(0)
    v.set(a.add(b).add(c))
    put(a, b, c, v)
  }),
  story('a float kept over a change', [{ f: 2.5 }, { f: 1 }], ({ k, put, f }) => {
    const v = k.var('v', f(2))
    const t = v.add(0.5)
    v.set(f32(1))
    put(t, v)
  }),
  story('in a loop, the value of the round before', [0 + 0 + 1 + 2 + 3], ({ k, put, n }) => {
    const last = k.var('last', u32(0))
    const total = k.var('total', u32(0))
    k.range('i', n(5), (i) => {
      const previous = last.add(0)
      last.set(i)
      total.addAssign(previous)
    })
    put(total)
  }),
  inPlace(
    'storage: read, write, use',
    (m, k) => {
      const old = m.at(0)
      m.at(0).set(7)
      const two = m.at(1).add(old)
      m.at(1).set(100)
      m.at(2).set(two)
      k.if(two.gt(0), () => m.at(3).set(m.at(0)))
    },
    [1, 2, 3, 4],
    [7, 100, 3, 7],
  ),
  inPlace(
    'storage: two elements exchanged',
    (m) => {
      const a = m.at(0)
      const b = m.at(1)
      m.at(0).set(b)
      m.at(1).set(a)
    },
    [1, 2],
    [2, 1],
  ),
  inPlace(
    'storage: indices that may be equal',
    (m) => {
      const i = m.at(2)
      const first = m.at(i)
      m.at(0).set(9)
      m.at(1).set(first)
      m.at(3).set(m.at(i))
    },
    [5, 6, 0, 0],
    [9, 5, 0, 9],
  ),
  inPlace(
    'storage: a running sum in place',
    (m, k) => {
      k.range('i', 1, 6, (i) => {
        const here = m.at(i)
        const before = m.at(i.sub(1))
        m.at(i).set(before.add(here))
      })
    },
    [1, 2, 3, 4, 5, 6],
    [1, 3, 6, 10, 15, 21],
  ),
  inPlace(
    'storage: a read before a loop that writes it',
    (m, k) => {
      const first = m.at(0)
      k.range('i', 3, () => m.at(0).addAssign(10))
      m.at(1).set(first)
    },
    [1, 0],
    [31, 1],
  ),
]
