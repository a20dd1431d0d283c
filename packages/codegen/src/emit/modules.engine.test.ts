import {
  type Builder,
  bitcast,
  bool,
  buffer,
  d,
  f16,
  f32,
  fn,
  func,
  i32,
  inout,
  input,
  kernel,
  output,
  override,
  ptr,
  subgroupMatrix,
  texture,
  u32,
  vec2h,
  vec4f,
} from '@weft/dsl'
import { checkStructure, type KernelSource } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { countModule } from '../../../../tests/engines/counts'
import { validateNaga, withoutSubgroupsLine } from '../../../../tests/engines/naga'
import { validateTint } from '../../../../tests/engines/tint'
import { compile, type ProfileName } from '../index'

const u32s = d.arrayOf(d.u32)
const f32s = d.arrayOf(d.f32)

/** One workgroup of 64, with the array `out` of u32. */
const one = (name: string, body: (k: Builder, put: (x: ReturnType<typeof u32>) => void) => void): KernelSource =>
  kernel(
    name,
    { workgroupSize: [64], bindings: { out: output(u32s) }, workgroups: () => [1], guards: 'off' },
    ({ out }, k) => {
      body(k, (x) => out.at(k.localIndex).set(x))
    },
  )

const bump = func('bump(p, by)', [ptr('storage', u32, 'read_write'), u32], (p, by) => p.addAssign(by))
const sumOf = func('sum_of(t, n)', [ptr('workgroup', d.arrayOf(d.u32, 64)), u32], (t, n, k) => {
  const sum = k.var('sum', u32(0))
  k.range('i', n, (i) => sum.addAssign(t.at(i)))
  return sum.add(0)
})
const count = func('count(p, less, greater)', [ptr('function', u32), bool, bool], (p, less, greater, k) => {
  k.if(less.and(greater), () => p.addAssign(1))
})
const twice = func('twice(p)', [ptr('function', u32)], (p) => p.set(p.mul(2)))

const kernels: Record<string, KernelSource> = {
  storagePointer: kernel(
    'storage_pointer',
    { workgroupSize: [64], bindings: { out: inout(u32s) }, guards: 'off' },
    ({ out }, k) => {
      k.call(bump, out.at(k.localIndex), u32(3))
    },
  ),
  workgroupPointer: one('workgroup_pointer', (k, put) => {
    const t = k.workgroup('t', u32, 64)
    t.at(k.localIndex).set(k.localIndex)
    k.workgroupBarrier()
    put(sumOf(t as never, u32(64)))
  }),
  partPointer: one('part_pointer', (k, put) => {
    const a = k.var('a', d.arrayOf(d.u32, 4))
    a.at(1).set(k.localIndex)
    k.call(twice, a.at(1))
    put(a.at(1).add(0))
  }),
  paramArrays: kernel(
    'param_arrays',
    {
      workgroupSize: [64],
      bindings: { out: output(f32s) },
      params: { w: d.arrayOf(d.f32, 6), pairs: d.arrayOf(d.vec2f, 3), n: d.u32 },
      guards: 'off',
    },
    ({ out, w, pairs, n }, k) => {
      const i = k.localIndex.rem(n)
      out.at(k.localIndex).set(
        w
          .at(i)
          .add(w.at(5))
          .add(pairs.at(i.rem(3)).y),
      )
    },
  ),
  overrides: kernel(
    'overrides',
    {
      workgroupSize: [64],
      bindings: { out: output(f32s) },
      overrides: { scale: override(f32, 2), count: override(u32, 3, { id: 7 }) },
      guards: 'off',
    },
    ({ out, scale, count }, k) => {
      out.at(k.localIndex).set(scale.mul(f32(count)))
    },
  ),
  infinities: kernel(
    'infinities',
    { workgroupSize: [64], bindings: { x: input(f32s), out: output(f32s) }, guards: 'off' },
    ({ x, out }, k) => {
      const i = k.localIndex
      out.at(i).set(fn.max(x.at(i), f32(-Infinity)).add(f32(Number.NaN)))
      out.at(i.add(64)).set(fn.min(x.at(i), f32(Infinity)).mul(f32(-0)).add(f32(3.4028234663852886e38)).sub(f32(-1)))
    },
  ),
  tanhPow: kernel(
    'tanh_pow',
    { workgroupSize: [64], bindings: { x: input(f32s), out: output(f32s) }, guards: 'off' },
    ({ x, out }, k) => {
      const i = k.localIndex
      out.at(i).set(
        fn
          .tanh(x.at(i))
          .add(fn.pow(x.at(i), 3))
          .add(fn.pow(x.at(i), -2)),
      )
    },
  ),
  packed: one('packed', (k, put) =>
    put(
      fn
        .dot4U8Packed(k.localIndex, fn.pack4xU8(fn.unpack4xU8(k.localIndex)))
        .add(u32(fn.dot4I8Packed(k.localIndex, 5))),
    ),
  ),
  names: kernel(
    'names',
    {
      workgroupSize: [64],
      bindings: { target: input(u32s), vec4f: output(u32s) },
      params: { switch_: d.u32, final: d.u32 },
      guards: 'off',
    },
    ({ target, vec4f: v, final, switch_ }, k) => {
      const i = k.let('main', k.localIndex)
      const params = k.let('params', target.at(i).add(final))
      const min = k.var('min', params)
      k.range('ref', switch_, (ref) => min.addAssign(ref))
      v.at(i).set(min)
    },
  ),
  loops: one('loops', (k, put) => {
    const n = k.var('n', u32(0))
    k.for(
      'i',
      u32(0),
      (i) => i.lt(10),
      (i) => i.add(2),
      (i) => {
        k.if(i.eq(4), () => k.continue())
        n.addAssign(i)
      },
    )
    k.while(
      () => n.gt(100),
      () => n.set(n.div(2)),
    )
    k.loop(
      () => {
        const doubled = k.let('doubled', n.mul(2))
        k.if(doubled.gt(1000), () => k.break())
        n.addAssign(1)
      },
      () => n.gt(50),
    )
    k.switch(n, (c) => {
      c.case([1, 2], () => n.set(7))
      c.case(3, () => n.set(9))
      c.default(() => n.addAssign(1))
    })
    k.range('d', i32(5), i32(0), i32(-1), (x) => n.addAssign(u32(x)))
    put(n.add(0))
  }),
  comparisons: one('comparisons', (k, put) => {
    const i = k.localIndex
    put(
      u32(
        fn.all(
          fn.select(fn.select(i.lt(3).and(i.gt(1)), i.ge(2), i.lt(5)), i.gt(3), i.le(9)).and(i.shr(1).lt(i.shl(1))),
        ),
      )
        .add(fn.select(u32(1), u32(2), i.lt(4).or(i.gt(9).and(i.ne(8)))))
        .sub(u32(0).sub(i)),
    )
  }),
  half: kernel(
    'half',
    { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f16)), out: output(d.arrayOf(d.f16)) }, guards: 'off' },
    ({ x, out }, k) => {
      const i = k.localIndex
      out.at(i).set(x.at(i).mul(f16(0.1)).add(f16(65504)).add(f16(Infinity)))
    },
  ),
  halfBits: kernel(
    'half_bits',
    { workgroupSize: [64], bindings: { x: input(u32s), out: output(u32s) }, guards: 'off' },
    ({ x, out }, k) => {
      const h = bitcast(vec2h, x.at(k.localIndex))
      out.at(k.localIndex).set(bitcast(u32, h.add(vec2h(1, 2))))
    },
  ),
  halfFrexp: kernel(
    'half_frexp',
    { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f16)), out: output(d.arrayOf(d.f16)) }, guards: 'off' },
    ({ x, out }, k) => {
      const { fract, exp } = fn.frexp(x.at(k.localIndex))
      out.at(k.localIndex).set(fract.add(f16(exp)))
    },
  ),
  subgroups: one('subgroups', (k, put) =>
    put(
      k
        .subgroupAdd(k.localIndex)
        .add(k.subgroupShuffleXor(k.localIndex, 1))
        .add(k.subgroupSize)
        .add(k.subgroupInvocationId),
    ),
  ),
  matrix: kernel(
    'matrix',
    {
      workgroupSize: [128],
      bindings: { a: input(f32s), b: input(f32s), c: output(f32s, { writes: 'partial' }) },
      guards: 'off',
    },
    ({ a, b, c }, k) => {
      const left = k.subgroupMatrixLoad(subgroupMatrix('left', f32, { rows: 8, cols: 8 }), a, 0, 8, 'row')
      const right = k.subgroupMatrixLoad(subgroupMatrix('right', f32, { rows: 8, cols: 8 }), b, 0, 8, 'col')
      const acc = k.subgroupMatrixMultiplyAccumulate(left, right, k.subgroupMatrixMultiply(left, right))
      k.subgroupMatrixStore(c, 0, k.subgroupMatrixScalarAdd(acc, 1), 8, 'row')
    },
  ),
  texture: kernel(
    'texture',
    {
      workgroupSize: [8, 8],
      bindings: { image: texture(d.texture2d(d.f32)), store: texture(d.textureStorage2d('rgba8unorm', 'write-only')) },
    },
    ({ image, store }, k) => {
      store.store(k.globalId.xy, vec4f(image.load(k.globalId.xy)).mul(0.5))
    },
  ),
  view: kernel(
    'view',
    { workgroupSize: [64], bindings: { raw: input(buffer(4096)), out: output(f32s) }, guards: 'off' },
    ({ raw, out }, k) => {
      out.at(k.localIndex).set(raw.view(d.arrayOf(d.f32, 64), 0).at(k.localIndex))
    },
  ),
  deep: one('deep', (k, put) => {
    let x = k.localIndex.add(0)
    for (let i = 0; i < 300; i++) x = x.mul(3).bitXor(i)
    let sum = x
    for (let i = 0; i < 600; i++) sum = sum.add(k.localIndex.mul(i))
    put(sum)
  }),
  // `a < b, c > d` could be read as a template list, also where the call is a statement
  arguments: one('arguments', (k, put) => {
    const v = k.var('v', k.localIndex)
    const [a, b] = [k.let('a', v.add(1)), k.let('b', v.mul(2))]
    put(a.add(b))
    k.call(count, v, a.lt(b), a.gt(b))
    put(v.add(0))
  }),
  branches: one('branches', (k, put) => {
    let chain = k.if(k.localIndex.eq(0), () => put(u32(0)))
    for (let i = 1; i < 50; i++) chain = chain.elseIf(k.localIndex.eq(i), () => put(u32(i)))
  }),
}

/** Which compilers take what a profile gives. */
const NAGA: readonly ProfileName[] = ['baseline', 'firefox', 'safari']
const TINT_ONLY = new Set(['matrix', 'view'])

describe('modules of every profile compile', () => {
  for (const [name, source] of Object.entries(kernels)) {
    for (const profile of ['any', 'baseline', 'chrome', 'firefox', 'safari'] as const) {
      test(`${name} for ${profile}`, async () => {
        let compiled: ReturnType<typeof compile>
        try {
          compiled = compile(source, { profile, validate: 'each', check: checkStructure })
        } catch (error) {
          expect(profile).not.toMatch(/any|chrome/)
          expect((error as { code?: string }).code, String(error)).toBe('profile-unsupported')
          return
        }
        for (const v of compiled.variants) {
          const tint = await validateTint(v.wgsl, {
            layouts: v.layouts as never,
            ...(v.params?.via === 'immediates' ? { immediateSize: compiled.params?.size } : {}),
          } as never)
          expect(tint.text, `${v.id}\n${v.wgsl}`).toBe('')
          countModule('tint')
          const words = compiled.variants.length > 0 ? v.wgsl : ''
          if (NAGA.includes(profile)) {
            const naga = await validateNaga(words)
            expect(naga.ok ? '' : naga.text, `${v.id}\n${v.wgsl}`).toBe('')
            countModule('naga')
          } else if (name === 'subgroups') {
            const naga = await validateNaga(withoutSubgroupsLine(words))
            expect(naga.ok ? '' : naga.text, v.wgsl).toBe('')
            countModule('naga-without-subgroups')
          } else if (TINT_ONLY.has(name)) countModule('tint-only')
        }
      })
    }
  }
})
