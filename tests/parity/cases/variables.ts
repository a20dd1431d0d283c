import {
  d,
  f32,
  fn,
  inout,
  input,
  kernel,
  mat2x2f,
  mat3x2f,
  output,
  u32,
  vec2b,
  vec2f,
  vec2u,
  vec3f,
  vec4f,
  vec4u,
} from '@weft/dsl'
import { f32s, partly, u32s, unset } from '../data.js'
import { chorus, story } from './story.js'

const Point = d.struct({ x: d.f32, y: d.f32 }).$name('Point')
const Body = d.struct({ at: Point, mass: d.u32, path: d.arrayOf(d.u32, 3) }).$name('Body')

/** Variables of every composed type, and what assignment of a whole one does. */
export const variables = [
  story('variables start at zero', [0, 0, { f: 0 }, 0, 0], ({ k, put }) => {
    const v = k.var('v', vec4u)
    const a = k.var('a', d.arrayOf(d.u32, 4))
    const m = k.var('m', mat2x2f)
    const b = k.var('b', Body)
    put(v.x, a.at(3), m.at(1).x, b.mass, b.path.at(2))
  }),
  story('a variable in a loop body starts anew each round', [1, 1, 1], ({ k, put, n }) => {
    const seen = k.var('seen', d.arrayOf(d.u32, 3))
    k.range('i', n(3), (i) => {
      const fresh = k.var('fresh', u32)
      fresh.addAssign(1)
      seen.at(i).set(fresh)
    })
    put(seen.at(0), seen.at(1), seen.at(2))
  }),
  story('lanes of a vector variable', [1, 20, 3, 40], ({ k, put, n }) => {
    const v = k.var('v', vec4u(n(1), n(2), n(3), n(4)))
    v.y.set(20)
    v.at(n(3)).set(40)
    put(v.x, v.y, v.z, v.w)
  }),
  story('compound assignments', [7, 5, 15, 3, 1, 8, 12, 14, 6, 24, 6], ({ k, put, n }) => {
    const v = k.var('v', n(4))
    v.addAssign(3)
    put(v)
    v.subAssign(2)
    put(v)
    v.mulAssign(3)
    put(v)
    v.divAssign(5)
    put(v)
    v.remAssign(2)
    put(v)
    v.set(12)
    v.andAssign(10)
    put(v)
    v.orAssign(4)
    put(v)
    v.xorAssign(2)
    put(v)
    v.subAssign(8)
    put(v)
    v.shlAssign(2)
    put(v)
    v.shrAssign(2)
    put(v)
  }),
  story('compound bit operations on vectors', [1, 1, 0, 7, 6], ({ k, put, n }) => {
    const b = k.var('b', fn.select(vec2b(false, true), vec2b(true, false), n(1).eq(2)))
    b.set(vec2b(true, true).or(b))
    put(b.x, b.y)
    b.set(vec2b(false, false).and(b))
    put(b.y)
    const v = k.var('v', vec2u(n(4), n(5)))
    v.set(vec2u(3, 3).bitOr(v))
    put(v.x)
    v.set(vec2u(1, 1).bitXor(v))
    put(v.y)
  }),
  story('let copies, a mention of a variable reads it now', [1, 5], ({ k, put, n }) => {
    const v = k.var('v', n(1))
    const copy = k.let('copy', v)
    v.set(5)
    put(copy, v)
  }),
  story('arrays: dynamic indices', [0, 1, 4, 9, 99], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.u32, 5))
    k.range('i', n(4), (i) => a.at(i).set(i.mul(i)))
    a.at(n(4)).set(99)
    put(a.at(0), a.at(1), a.at(n(2)), a.at(3), a.at(4))
  }),
  story('arrays are values: a copy does not follow', [1, 9], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.u32, 2))
    a.at(0).set(n(1))
    const b = k.var('b', d.arrayOf(d.u32, 2))
    b.set(a)
    a.at(0).set(9)
    put(b.at(0), a.at(0))
  }),
  story('nested arrays', [12, 23, 0], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.arrayOf(d.u32, 4), 3))
    a.at(n(1), n(2)).set(12)
    a.at(2).at(3).set(23)
    put(a.at(1, 2), a.at(n(2), n(3)), a.at(0, 0))
  }),
  story('rows of nested arrays are assigned whole', [5, 6, 5], ({ k, put, n }) => {
    const a = k.var('a', d.arrayOf(d.arrayOf(d.u32, 2), 2))
    a.at(0, 0).set(5)
    a.at(0, 1).set(6)
    a.at(n(1)).set(a.at(0))
    a.at(0, 0).set(7)
    put(a.at(1, 0), a.at(1, 1), a.at(n(1), n(0)))
  }),
  story('structs: fields, nested, arrays in them', [{ f: 1.5 }, { f: 2 }, 8, 3], ({ k, put, n, f }) => {
    const b = k.var('b', Body)
    b.at.x.set(1.5)
    b.at.y.set(f(2))
    b.mass.set(8)
    b.path.at(n(1)).set(3)
    put(b.at.x, b.at.y, b.mass, b.path.at(1))
  }),
  story('structs are values', [{ f: 1 }, { f: 7 }], ({ k, put, f }) => {
    const a = k.var('a', Point)
    a.x.set(f(1))
    const b = k.var('b', Point)
    b.set(a)
    a.x.set(f(7))
    put(b.x, a.x)
  }),
  story('arrays of structs', [3, 30, 1], ({ k, put, n }) => {
    const all = k.var('all', d.arrayOf(Body, 3))
    all.at(n(1)).mass.set(3)
    all.at(2).path.at(n(2)).set(30)
    all.at(0).set(all.at(n(1)))
    all.at(1).mass.set(1)
    put(all.at(0).mass, all.at(2).path.at(2), all.at(1).mass)
  }),
  story('matrices: columns and elements', [{ f: 1 }, { f: 5 }, { f: 3 }, { f: 9 }], ({ k, put, n, f }) => {
    const m = k.var('m', mat2x2f(f(1), f(2), f(3), f(4)))
    m.at(0).y.set(5)
    m.at(n(1)).at(n(1)).set(9)
    put(m.at(0).x, m.at(0).y, m.at(1).x, m.at(n(1)).y)
  }),
  story('matrices: assigning a column', [{ f: 7 }, { f: 8 }, { f: 5 }, { f: 6 }], ({ k, put, f, n }) => {
    const m = k.var('m', mat3x2f(f(1), f(2), f(3), f(4), f(5), f(6)))
    m.at(n(1)).set(vec2f(7, 8))
    put(m.at(1).x, m.at(1).y, m.at(2).x, m.at(2).y)
  }),
  story(
    'matrix times vector and vector times matrix',
    [{ f: 23 }, { f: 34 }, { f: 17 }, { f: 39 }],
    ({ k, put, f }) => {
      const m = k.let('m', mat2x2f(f(1), f(2), f(3), f(4)))
      const v = k.let('v', vec2f(f(5), f(6)))
      const right = k.let('right', m.mul(v))
      const left = k.let('left', v.mul(m))
      put(right.x, right.y, left.x, left.y)
    },
  ),
  story('matrix products and transpose', [{ f: 7 }, { f: 10 }, { f: 15 }, { f: 22 }, { f: 3 }], ({ k, put, f }) => {
    const m = k.let('m', mat2x2f(f(1), f(2), f(3), f(4)))
    const square = k.let('square', m.mul(m))
    put(square.at(0).x, square.at(0).y, square.at(1).x, square.at(1).y, fn.transpose(m).at(0).y)
  }),
  story('vector by scalar and splat', [{ f: 6 }, { f: 8 }, { f: 10 }, 4, 4], ({ k, put, f, n }) => {
    const v = k.let('v', vec3f(f(3), f(4), f(5)).mul(f(2)))
    const s = k.let('s', vec2u(n(4)))
    put(v.x, v.y, v.z, s.x, s.y)
  }),
  story('swap through lets', [2, 1], ({ k, put, n }) => {
    const { a, b } = k.var({ a: n(1), b: n(2) })
    const old = k.let('old', a)
    a.set(b)
    b.set(old)
    put(a, b)
  }),
  story('swizzles of values', [4, 3, 2, 1, 2, 2, 3], ({ k, put, n }) => {
    const v = k.let('v', vec4u(n(1), n(2), n(3), n(4)))
    const r = k.let('r', v.swizzle('wzyx'))
    const s = k.let('s', v.swizzle('yy'))
    put(r.x, r.y, r.z, r.w, s.x, s.y, v.swizzle('rgb').z)
  }),
  story('a lane set does not touch the others', [1, 7, 3, 4, 1, 7, 3, 9], ({ k, put, n }) => {
    const v = k.var('v', vec4u(n(1), n(2), n(3), n(4)))
    v.y.set(7)
    put(v.x, v.y, v.z, v.w)
    v.w.set(9)
    put(v.x, v.y, v.z, v.w)
  }),
  chorus(
    'a vector indexed by the invocation',
    8,
    (i) => [10, 20, 30, 40][i % 4]!,
    (i, k) => {
      const v = k.let('v', vec4u(10, 20, 30, 40))
      return v.at(i.rem(4))
    },
  ),
  chorus(
    'an array as scratch memory: sorting',
    4,
    (i) => [1, 2, 5, 9][i]!,
    (i, k) => {
      const a = k.var('a', d.arrayOf(d.u32, 4))
      ;[5, 1, 9, 2].forEach((x, j) => void a.at(j).set(x))
      k.range('r', 3, () =>
        k.range('j', 3, (j) => {
          const { left, right } = k.let({ left: a.at(j), right: a.at(j.add(1)) })
          k.if(left.gt(right), () => {
            a.at(j).set(right)
            a.at(j.add(1)).set(left)
          })
        }),
      )
      return a.at(i.rem(4))
    },
  ),
  {
    name: 'structs in storage: read, changed, copied',
    kernel: kernel(
      'bodies',
      {
        workgroupSize: [1],
        bindings: { from: input(d.arrayOf(Body)), to: inout(d.arrayOf(Body)) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ from, to }, k) => {
        to.at(1).set(from.at(0))
        const b = k.var('b', Body)
        b.set(from.at(1))
        b.mass.addAssign(1)
        b.path.at(1).set(77)
        to.at(0).set(b)
        to.at(2).at.x.set(from.at(1).at.y)
      },
    ),
    bindings: { from: u32s(...[1, 2, 3, 4, 5, 6], ...[11, 12, 13, 14, 15, 16]), to: unset(18) },
    expect: {
      to: partly(
        18,
        (() => {
          const all = new Uint32Array(unset(18).buffer)
          all.set([11, 12, 14, 14, 77, 16, 1, 2, 3, 4, 5, 6, 12])
          return all
        })(),
      ),
    },
  },
  {
    name: 'arrays in storage are assigned whole',
    kernel: kernel(
      'whole_arrays',
      {
        workgroupSize: [1],
        bindings: {
          from: input(d.arrayOf(d.arrayOf(d.vec4f, 2))),
          to: output(d.arrayOf(d.arrayOf(d.vec4f, 2)), { writes: 'partial' }),
        },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ from, to }) => {
        to.at(1).set(from.at(0))
      },
    ),
    bindings: { from: f32s(1, 2, 3, 4, 5, 6, 7, 8), to: unset(24) },
    expect: {
      to: (() => {
        const all = unset(24)
        all.set(new Uint8Array(f32s(1, 2, 3, 4, 5, 6, 7, 8).buffer), 32)
        return all
      })(),
    },
  },
  story('conversion constructors of vectors', [1, 2, 3, { f: 2 }], ({ k, put, f }) => {
    const v = k.let('v', vec4u(vec4f(f(1).add(0.75), f(2).add(0.5), f(3), f(0))))
    put(v.x, v.y, v.z, f32(v.y))
  }),
]
