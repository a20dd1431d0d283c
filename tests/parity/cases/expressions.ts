import {
  bitcast,
  bool,
  d,
  f32,
  fn,
  func,
  i32,
  input,
  kernel,
  output,
  u32,
  vec2i,
  vec2u,
  vec3f,
  vec3u,
  vec4f,
  vec4i,
  vec4u,
} from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { partly, u32s } from '../data.js'
import { chorus, floatWord, story } from './story.js'

const square = func('square(v)', [f32], (v) => v.mul(v))

/** Conversions, bits, templates, lazy selects, packed dot products. */
export const expressions: readonly ParityCase[] = [
  story(
    'conversions between integers and floats',
    [4, -4, 4294967295, { f: 4294967296 }, { f: -1 }, 1, 0, { f: 1 }],
    ({ put, n, i, f }) => {
      const v = f(4).add(0.75)
      put(
        u32(v),
        i32(v.neg()),
        u32(i(0).sub(1)),
        f32(n(0).sub(1)),
        f32(i(0).sub(1)),
        u32(bool(n(3))),
        u32(bool(f(0))),
        f32(bool(n(2))),
      )
    },
  ),
  story('conversions out of range saturate', [0, 4294967040, 2147483520, -2147483648], ({ put, f }) => {
    const big = f(10).mul(1e10)
    put(u32(big.neg()), u32(big), i32(big), i32(big.neg()))
  }),
  story('bitcasts', [floatWord(1.5), { f: 1.5 }, -1, 0x40490fdb], ({ put, f, n }) => {
    put(
      bitcast(u32, f(1).add(0.5)),
      bitcast(f32, n(0).add(floatWord(1.5))),
      bitcast(i32, n(0).sub(1)),
      bitcast(i32, f32(Math.PI).mul(f(1))),
    )
  }),
  story('bitcasts of vectors', [1, -1, floatWord(2)], ({ put, n, f }) => {
    const v = bitcast(vec2i, vec2u(n(1), n(0).sub(1)))
    put(v.x, v.y, bitcast(vec3u, vec3f(f(1), f(2), f(3))).y)
  }),
  story('wrapping arithmetic', [0, 4294967295, -2147483648, 1, 1410065408], ({ put, n, i }) => {
    const most = n(0).sub(1)
    put(
      most.add(1),
      n(0).sub(1),
      i(0).add(2147483647).add(1),
      most.mul(most),
      n(10).mul(1_000_000_000).div(1).rem(4294967295),
    )
  }),
  story('division and remainder of signed numbers', [-3, -1, -3, 1, 3, -1, 7, 0, -2147483648, 0], ({ put, i }) => {
    const [seven, minus, zero] = [i(7), i(0).sub(7), i(0)]
    put(
      minus.div(2),
      minus.rem(2),
      seven.div(-2),
      seven.rem(-2),
      minus.div(-2),
      minus.rem(-2),
      seven.div(zero),
      seven.rem(zero),
    )
    const least = i(0).sub(2147483647).sub(1)
    put(least.div(i(0).sub(1)), least.rem(i(0).sub(1)))
  }),
  story('shifts', [20, 2, -1, 0x7fffffff, 2, 1], ({ put, n, i }) => {
    put(
      n(5).shl(2),
      n(10).shr(2),
      i(0).sub(1).shr(5),
      n(0).sub(1).shr(1),
      n(1).shl(n(15).add(18)),
      n(2).shr(n(15).add(18)),
    )
  }),
  story('shifts of vectors', [2, 8, 1, 0], ({ put, n }) => {
    const v = vec2u(n(1), n(2)).shl(vec2u(n(1), n(2)))
    const w = vec2u(n(2), n(3)).shr(n(1))
    put(v.x, v.y, w.x, w.y.sub(1))
  }),
  story('comparisons of vectors, all and any', [1, 0, 1, 0], ({ put, n }) => {
    const v = vec4u(n(1), n(2), n(3), n(4))
    put(u32(fn.all(v.lt(5))), u32(fn.all(v.lt(4))), u32(fn.any(v.eq(3))), u32(fn.any(v.gt(4))))
  }),
  story('bool vectors', [1, 1, 0, 0], ({ put, n }) => {
    const v = vec4u(n(1), n(2), n(3), n(4))
    const b = v.gt(2).and(v.lt(4)).or(v.eq(1))
    put(u32(b.x), u32(b.z), u32(b.y), u32(fn.all(b.not())))
  }),
  story('select by lane', [10, 2, 30, 4], ({ put, n }) => {
    const v = vec4u(n(1), n(2), n(3), n(4))
    const s = fn.select(v, v.mul(10), v.rem(2).eq(1))
    put(s.x, s.y, s.z, s.w)
  }),
  story('when reads only where the test holds', [3, 99], ({ k, put, x, n }) => {
    put(
      k.when(n(3).lt(16), () => x.at(n(3)), 99),
      k.when(n(3).gt(16), () => x.at(n(3).mul(1000)), 99),
    )
  }),
  story('when with two sides', [5, 8], ({ k, put, n }) => {
    put(
      k.when(
        n(1).eq(1),
        () => n(5).add(0),
        () => n(6).add(0),
      ),
      k.when(
        n(1).eq(0),
        () => n(7).add(0),
        () => n(8).add(0),
      ),
    )
  }),
  chorus(
    'when within when',
    12,
    (i) => (i < 8 ? (i % 2 ? i : 100) : 200),
    (i, k, x) => {
      return k.when(i.lt(8), () => k.when(i.rem(2).eq(1), () => x.at(i), 100), 200)
    },
  ),
  story('templates: precedence', [14, 20, -2, 1, 11], ({ put, n, i }) => {
    put(
      u32`${n(2)} + ${n(3)} * ${n(4)}`,
      u32`(${n(2)} + ${n(3)}) * ${n(4)}`,
      i32`-(${i(5)} - ${i(3)})`,
      u32`${n(9)} % ${n(4)}`,
      u32`(${n(8)} | ${n(2)}) + (${n(3)} & ${n(1)})`,
    )
  }),
  story('templates: shifts and bits', [40, 6, 4294967290], ({ put, n }) => {
    put(u32`${n(5)} << 3u`, u32`${n(12)} >> 1u`, u32`~${n(5)}`)
  }),
  story('templates: comparisons and logic', [1, 0, 1], ({ put, n }) => {
    put(
      u32(bool`${n(1)} < ${n(2)} && ${n(3)} >= ${n(3)}`),
      u32(bool`${n(1)} == ${n(2)} || !(${n(3)} != ${n(4)})`),
      u32(bool`true && ${n(1)} <= 1`),
    )
  }),
  story(
    'templates: calls, swizzles and indexing',
    [{ f: 5 }, { f: 9 }, 5, { f: 4 }],
    ({ put, f, x, n }) => {
      const v = vec4f(f(3), f(4), f(0), f(1))
      put(
        f32`sqrt(${v}.x * ${v}.x + ${v}.y * ${v}.y)`,
        f32`${square}(${f(3)})`,
        u32`${x}[${n(5)}]`,
        f32`max(${v}.yx.x, 2.0)`,
      )
    },
    { tolerance: { kind: 'ulp', ulp: 5, because: 'sqrt: 4.5 ULP by the specification' } },
  ),
  story('templates: vectors', [{ f: 11 }, { f: 16 }], ({ put, f }) => {
    const v = vec4f`${vec4f(f(1), f(2), f(3), f(4))} * ${f(5)} + vec4f(6.0)`
    put(v.x, v.y)
  }),
  story('packed dot products', [70, -70, 4 * 255 * 2], ({ put, n }) => {
    const a = n(0).add(0x04030201)
    put(
      fn.dot4U8Packed(a, n(0).add(0x08070605)),
      fn.dot4I8Packed(a, n(0).add(0xf8f9fafb)),
      fn.dot4U8Packed(n(0).add(0xffffffff), n(0).add(0x02020202)),
    )
  }),
  story('bytes packed and unpacked', [0x04030201, 255, -1, 3, 0x7f80ff01, 0xff00ff01], ({ put, n, i }) => {
    const word = fn.pack4xU8(vec4u(n(1), n(2), n(3), n(4).add(256)))
    put(word, fn.unpack4xU8(n(0).add(0xff)).x, fn.unpack4xI8(n(0).add(0xff)).x, fn.unpack4xU8(word).z)
    const big = i(0).add(1000)
    put(
      fn.pack4xI8Clamp(vec4i(i(1), i(0).sub(1), big.neg(), big)),
      fn.pack4xU8Clamp(vec4u(n(1), n(0).add(1000), n(0), n(0).add(255))),
    )
  }),
  story('bit functions', [29, 2, 2, 2, 2, 0x80000000, 5, 0xf5], ({ put, n }) => {
    put(
      fn.countLeadingZeros(n(5)),
      fn.countOneBits(n(5)),
      fn.countTrailingZeros(n(4)),
      fn.firstLeadingBit(n(5)),
      fn.firstTrailingBit(n(12)),
      fn.reverseBits(n(1)),
      fn.extractBits(n(0).add(0x50), u32(4), u32(4)),
      fn.insertBits(n(5), n(15), u32(4), u32(4)),
    )
  }),
  story(
    'insertBits beside its own base',
    [16, 4080, 0x80000ff0, 5, 16, 4080],
    ({ put, n }) => {
      const merged = (base: number, bits: number) => fn.insertBits(n(0).add(base), n(0).add(bits), u32(4), u32(8))
      put(fn.max(merged(0, 1), n(0)), fn.max(merged(0, 0xff), n(0)))
      put(fn.max(merged(0x80000000, 0xff), n(0).add(0x80000000)), fn.min(merged(5, 7), n(5)))
      put(
        fn.select(merged(0, 1), n(0), merged(0, 1).le(n(0))),
        fn.select(merged(0, 0xff), n(0), merged(0, 0xff).le(n(0))),
      )
    },
    { not: { wgpu: "lavapipe's LLVM 15 takes the larger or smaller of a masked merge and its own base for the base" } },
  ),
  story('frexp and modf', [{ f: 0.625 }, 4, { f: 0.75 }, { f: -3 }], ({ put, f }) => {
    const { fract, exp } = fn.frexp(f(10))
    const m = fn.modf(f(10).neg().div(4).sub(1.25))
    put(fract, exp, m.fract.neg(), m.whole)
  }),
  story(
    'literals at the edges',
    [4294967295, -2147483648, 2147483647, { f: 3.4028234663852886e38 }, { f: 1.1754943508222875e-38 }, { f: -0 }],
    ({ put }) => {
      put(
        u32(4294967295),
        i32(-2147483648),
        i32(2147483647),
        f32(3.4028234663852886e38),
        f32(1.1754943508222875e-38),
        f32(-0),
      )
    },
  ),
  story('a long chain of operators', [45 * 20], ({ put, n }) => {
    let sum = n(0)
    for (let r = 0; r < 20; r++) for (let i = 0; i < 10; i++) sum = sum.add(n(i))
    put(sum)
  }),
  story('a deep right nest', [1], ({ put, n }) => {
    let e = n(1)
    for (let i = 0; i < 100; i++) e = n(i % 16).sub(e)
    for (let i = 99; i >= 0; i--) e = n(i % 16).sub(e)
    put(e)
  }),
  story('one value used many times', [3 * 81], ({ put, n }) => {
    let e = n(3)
    for (let i = 0; i < 4; i++) e = e.add(e).add(e)
    put(e)
  }),
  {
    name: 'guardedStore writes only what is there',
    kernel: kernel(
      'guarded',
      {
        workgroupSize: [16],
        workgroups: () => [1],
        bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32), { writes: 'partial' }) },
      },
      ({ x, out }, k) => {
        k.guardedStore(out, k.localIndex.mul(2), x.at(k.localIndex))
      },
    ),
    bindings: { x: u32s(...Array.from({ length: 16 }, (_, i) => i)), out: partly(7, u32s()) },
    expect: {
      out: (() => {
        const all = partly(7, u32s())
        for (let i = 0; i < 4; i++) new Uint32Array(all.buffer)[2 * i] = i
        return all
      })(),
    },
  },
]
