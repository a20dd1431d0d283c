import {
  bitcast,
  d,
  type Expr,
  f16,
  f32,
  fn,
  i32,
  inout,
  input,
  kernel,
  mat2x2h,
  output,
  override,
  u32,
  vec2h,
  vec3h,
  vec4f,
  vec4h,
} from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { f16s, f32s, partly, u32s, unset } from '../data.js'

const one = { workgroupSize: [1], workgroups: () => [1], guards: 'off' } as const
const Halves = d.struct({ a: d.f16, v: d.vec3h, b: d.f16, w: d.vec2h }).$name('Halves')

/** n f16 elements, the first of them as given and the others untouched. */
const halves = (n: number, ...values: number[]): Uint16Array => {
  const all = new Uint16Array(unset(n / 2).buffer)
  all.set(f16s(...values))
  return all
}

const x = f16s(0.1, 1 / 3, 1.5, -2, 65504, 0.000061, 3, 7)
const xs = Array.from(x, (bits) => bits)

/** Eight halves through one expression; both inputs are values of f16. */
const lanewise = (name: string, of: (a: Expr<'f16'>, b: Expr<'f16'>) => Expr<'f16'>): ParityCase => ({
  name: `f16: ${name}`,
  kernel: kernel(
    `half_${name.replace(/\W+/g, '_')}`,
    {
      workgroupSize: [8],
      workgroups: () => [1],
      guards: 'off',
      bindings: { x: input(d.arrayOf(d.f16)), y: output(d.arrayOf(d.f16)) },
    },
    ({ x: a, y }, k) => {
      const i = k.localIndex
      y.at(i).set(of(a.at(i), a.at(u32(7).sub(i))))
    },
  ),
  bindings: { x: Uint16Array.from(xs), y: halves(10) },
})

/** f16 in storage, arithmetic, vectors, structs, workgroup memory. Where nothing is expected, all agree by bits. */
export const half: readonly ParityCase[] = [
  lanewise('sum', (a, b) => a.add(b.div(4))),
  lanewise('difference', (a, b) => a.sub(b.mul(0.25))),
  // no product overflows in any order: compilers may reassociate (a GPU gave −∞ for −1 · (65504 · 0.0625))
  lanewise('product', (a, b) => fn.min(a, 200).mul(fn.min(b, 200))),
  lanewise('least and greatest', (a, b) => fn.min(a, b).add(fn.max(a, b).mul(0.5))),
  lanewise('floor and round', (a, b) => fn.floor(a.mul(0.5)).add(fn.round(b.mul(0.125)))),
  lanewise('abs and sign', (a, b) => fn.abs(a).mul(fn.sign(b))),
  lanewise('a fused or unfused sum of products of small integers', (a) =>
    fn.fma(fn.floor(a.mul(0.001)), f16(3), f16(2)),
  ),
  lanewise('through f32', (a, b) => f16(f32(a).mul(0.1).add(f32(b).mul(0.2)))),
  lanewise('select', (a, b) => fn.select(a, b, a.lt(b))),
  lanewise('clamp', (a) => fn.clamp(a, -1, 2)),
  lanewise('to integers and back', (a) => f16(i32(a.mul(0.5)))),
  {
    name: 'f16: vectors and a matrix',
    kernel: kernel(
      'half_vectors',
      { ...one, bindings: { x: input(d.arrayOf(d.vec4h)), y: output(d.arrayOf(d.f16), { writes: 'partial' }) } },
      ({ x: a, y }, k) => {
        const v = k.let('v', a.at(0))
        const m = k.let('m', mat2x2h(v.x, v.y, v.z, v.w))
        const p = k.let('p', m.mul(vec2h(2, 4)))
        ;[fn.dot(v, vec4h(1, 2, 1, 2)), p.x, p.y, v.zw.y, vec3h(v.xyz).z].forEach((h, i) => void y.at(i).set(h))
      },
    ),
    bindings: { x: f16s(1, 2, 3, 4), y: halves(8) },
    expect: { y: halves(8, 16, 14, 20, 4, 3) },
  },
  {
    name: 'f16: structs in storage',
    kernel: kernel('half_struct', { ...one, bindings: { m: inout(d.arrayOf(Halves)) } }, ({ m }) => {
      m.at(1).v.set(m.at(0).v)
      m.at(1).a.set(m.at(0).b)
      m.at(1).w.y.set(m.at(0).a)
    }),
    bindings: {
      m: (() => {
        const all = f16s(...Array.from({ length: 24 }, (_, i) => i))
        return all
      })(),
    },
  },
  {
    name: 'f16: arrays of vec3h',
    kernel: kernel(
      'half_vec3',
      { ...one, bindings: { from: input(d.arrayOf(d.vec3h)), to: output(d.arrayOf(d.vec3h)) } },
      ({ from, to }, k) => {
        k.range('i', 2, (i) => to.at(i).set(from.at(i).add(1)))
      },
    ),
    bindings: { from: f16s(1, 2, 3, 0, 4, 5, 6, 0), to: new Uint8Array(16) },
    expect: { to: f16s(2, 3, 4, 0, 5, 6, 7, 0) },
  },
  {
    name: 'f16: workgroup memory',
    kernel: kernel(
      'half_tile',
      {
        workgroupSize: [8],
        workgroups: () => [1],
        guards: 'off',
        bindings: { x: input(d.arrayOf(d.f16)), y: output(d.arrayOf(d.f16)) },
      },
      ({ x: a, y }, k) => {
        const t = k.workgroup('t', f16, 8)
        t.at(k.localIndex).set(a.at(k.localIndex))
        k.workgroupBarrier()
        y.at(k.localIndex).set(t.at(u32(7).sub(k.localIndex)))
      },
    ),
    bindings: { x: Uint16Array.from(xs), y: halves(8) },
    expect: { y: Uint16Array.from([...xs].reverse()) },
  },
  {
    name: 'f16: accumulated in f32',
    kernel: kernel(
      'half_dot',
      { ...one, bindings: { x: input(d.arrayOf(d.f16)), y: output(d.arrayOf(d.f32)) } },
      ({ x: a, y }, k) => {
        const sum = k.var('sum', f32(0))
        k.range('i', a.length, (i) => sum.addAssign(f32(a.at(i)).mul(f32(a.at(i)))))
        y.at(0).set(sum)
      },
    ),
    bindings: { x: f16s(0.1, 0.2, 0.3, 100, 0.4, 200), y: partly(2, f32s()) },
  },
  {
    name: 'f16: params',
    kernel: kernel(
      'half_params',
      {
        ...one,
        bindings: { y: output(d.arrayOf(d.f16), { writes: 'partial' }) },
        params: { a: d.f16, b: d.f32, c: d.vec2h, d: d.vec3h },
      },
      ({ y, a, b, c, d: dd }) => {
        ;[a, f16(b), c.y, dd.z].forEach((h, i) => void y.at(i).set(h))
      },
    ),
    params: { a: 1.5, b: 2.25, c: [3, 4], d: [5, 6, 7] },
    bindings: { y: halves(6) },
    expect: { y: halves(6, 1.5, 2.25, 4, 7) },
  },
  {
    name: 'f16: an override',
    kernel: kernel(
      'half_override',
      { ...one, overrides: { h: override(f16, 0.1) }, bindings: { y: output(d.arrayOf(d.f32)) } },
      ({ y, h }) => y.at(0).set(f32(h)),
    ),
    bindings: { y: partly(1, f32s()) },
  },
  {
    name: 'f16: packed halves need no feature',
    kernel: kernel(
      'packed_halves',
      {
        ...one,
        bindings: { x: input(d.arrayOf(d.vec4f)), y: output(d.arrayOf(d.u32)), z: output(d.arrayOf(d.vec4f)) },
      },
      ({ x: a, y, z }) => {
        const word = fn.pack2x16float(a.at(0).xy)
        y.at(0).set(word)
        const back = fn.unpack2x16float(word)
        z.at(0).set(vec4f(back, fn.unpack2x16float(u32(0x3c00c000))))
      },
    ),
    bindings: { x: f32s(1.5, -0.25, 0, 0), y: u32s(0), z: partly(5, f32s()) },
    expect: { y: u32s(0xb4003e00), z: partly(5, f32s(1.5, -0.25, -2, 1)) },
  },
  {
    name: 'f16: bits by bitcast',
    kernel: kernel(
      'half_bits',
      {
        ...one,
        bindings: {
          x: input(d.arrayOf(d.u32)),
          y: output(d.arrayOf(d.u32)),
          h: output(d.arrayOf(d.f16), { writes: 'partial' }),
        },
      },
      ({ x: a, y, h }) => {
        const pair = bitcast(vec2h, a.at(0))
        h.at(0).set(pair.x)
        h.at(1).set(pair.y)
        y.at(0).set(bitcast(u32, vec2h(pair.y, pair.x)))
      },
    ),
    bindings: { x: u32s(0xb4003e00), y: u32s(0), h: halves(4) },
    expect: { y: u32s(0x3e00b400), h: halves(4, 1.5, -0.25) },
  },
]
