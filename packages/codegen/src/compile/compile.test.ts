import { ceilDiv, d, f32, fn, func, inout, input, kernel, output, override, ptr, u32 } from '@weft/dsl'
import { type KernelSource, WeftError } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { compile } from '../index'
import { explain, show } from '../tools'
import { sha256 } from './sha256'

const f32s = d.arrayOf(d.f32)
const u32s = d.arrayOf(d.u32)

const scale = kernel(
  'scale',
  {
    workgroupSize: [64],
    bindings: { x: input(f32s), y: output(f32s) },
    params: { n: d.u32, factor: d.f32 },
    workgroups: ({ n }) => [ceilDiv(n, 64)],
    aliases: [['x', 'y']],
  },
  ({ x, y, n, factor }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(factor)))
  },
)

const sum = kernel(
  'sum',
  {
    workgroupSize: [64],
    bindings: { x: input(f32s), y: output(f32s, { writes: 'partial' }) },
    guards: 'off',
    variants: { subgroups: ['subgroups'], portable: [] },
  },
  ({ x, y }, k) => {
    if (k.variant === 'subgroups') y.at(0).set(k.subgroupAdd(x.at(k.localIndex)))
    else y.at(0).set(x.at(0))
  },
)

test('a kernel may count on limits above the defaults, and its variants need what it uses of them', () => {
  const declaration = (limits: object) =>
    kernel('large', { workgroupSize: [64], bindings: { y: output(f32s) }, guards: 'off', ...limits }, ({ y }, k) => {
      const tile = k.workgroup('tile', f32, 6000)
      tile.at(k.localIndex).set(1)
      k.workgroupBarrier()
      y.at(k.localIndex).set(tile.at(0))
    })
  expect(() => compile(declaration({}))).toThrow('more than 16384')
  const [variant] = compile(declaration({ limits: { maxComputeWorkgroupStorageSize: 32768 } })).variants
  expect(variant?.needs.limits.maxComputeWorkgroupStorageSize).toBe(24000)
})

describe('variants', () => {
  test('params as immediates and as a uniform block, and both once more for an alias', () => {
    expect(compile(scale).variants.map((v) => v.id)).toEqual([
      'portable+immediates',
      'portable',
      'portable+immediates+x=y',
      'portable+x=y',
    ])
    const merged = compile(scale).variants[3]
    expect(merged?.needs.alias).toEqual(['x', 'y'])
    expect(merged?.slots).toEqual([
      { name: 'x', group: 0, binding: 0 },
      { name: 'y', group: 0, binding: 0 },
    ])
    expect(merged?.wgsl).toContain('y[i] *= params.factor;')
    expect(merged?.wgsl).not.toContain('> x')
  })

  test('those of the source, best first, with what they need', () => {
    const variants = compile(sum).variants
    expect(variants.map((v) => [v.id, v.source, v.needs.features])).toEqual([
      ['subgroups', 'subgroups', ['subgroups']],
      ['portable', 'portable', []],
    ])
    expect(variants[0]?.wgsl.startsWith('enable subgroups;\n')).toBe(true)
    expect(variants[1]?.needs.limits).toMatchObject({
      maxComputeInvocationsPerWorkgroup: 64,
      maxStorageBuffersPerShaderStage: 2,
    })
  })

  test('a profile leaves out those that it cannot have', () => {
    expect(compile(sum, { profile: 'baseline' }).variants.map((v) => v.id)).toEqual(['portable'])
    expect(compile(scale, { profile: 'firefox' }).variants.map((v) => v.id)).toEqual(['portable', 'portable+x=y'])
  })

  test('and refuses a kernel of which nothing is left, naming the op and the line', () => {
    const error = (() => {
      try {
        compile(sum, { profile: 'firefox', variants: ['subgroups'] })
      } catch (e) {
        return e as WeftError
      }
      return null
    })()
    expect(error).toBeInstanceOf(WeftError)
    expect(error?.code).toBe('profile-unsupported')
    expect(error?.message).toContain(
      "subgroupAdd needs the device feature 'subgroups', which the profile 'firefox' does not have",
    )
    expect(error?.position?.file).toContain('compile.test.ts')
  })
})

describe('the artifact', () => {
  test('is data: JSON and back is the identity, with what was computed on demand', () => {
    const compiled = compile(scale, { doc: 'y = factor x' })
    const copy = JSON.parse(JSON.stringify(compiled))
    expect(copy).toEqual(compiled)
    expect(copy.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.keys(copy.ir)).toEqual(['portable'])
    const map = copy.variants[1].sourceMap
    const at = copy.variants[1].wgsl.split('\n').findIndex((l: string) => l.includes('y[i] ='))
    expect(map.files[map.lines[at][0]]).toContain('compile.test.ts')
  })

  test('has the same hash until something that reaches a device changes', () => {
    const make = (factor: number, doc = '') =>
      compile(
        kernel('test', { workgroupSize: [64], bindings: { y: output(f32s) }, guards: 'off' }, ({ y }, k) =>
          y.at(k.localIndex).set(factor),
        ),
        { doc },
      )
    expect(make(1).hash).toBe(make(1).hash)
    expect(make(1).hash).not.toBe(make(2).hash)
  })

  test('names overrides by their ids, and workgroup sizes by their overrides', () => {
    const compiled = compile(
      kernel(
        'test',
        {
          workgroupSize: ['size'],
          bindings: { y: output(f32s) },
          overrides: { size: override(u32, 64), k: override(f32, 2, { id: 3 }) },
          guards: 'off',
        },
        ({ y, k: factor }, k) => y.at(k.localIndex).set(factor),
      ),
    )
    expect(compiled.overrides).toEqual([
      { name: 'size', type: 'u32', default: 64, key: 'size' },
      { name: 'k', type: 'f32', default: 2, key: '3' },
    ])
    expect(compiled.variants[0]?.workgroupSize).toEqual([{ override: 'size' }, 1, 1])
    expect(compiled.variants[0]?.wgsl).toContain('@id(3) override k: f32 = 2.0f;')
    const baked = compile(
      kernel(
        'test',
        {
          workgroupSize: ['size'],
          bindings: { y: output(f32s) },
          overrides: { size: override(u32, 64) },
          guards: 'off',
        },
        ({ y, size }, k) => y.at(k.localIndex).set(f32(size)),
      ),
      { profile: 'safari' },
    )
    expect(baked.variants[0]?.workgroupSize).toEqual([64, 1, 1])
    expect(baked.variants[0]?.wgsl).toContain('= 64.0f;')
  })
})

test('all faults come in one error, at the lines of the author', () => {
  const bad = kernel('bad', { workgroupSize: [64], bindings: { y: output(f32s) } }, ({ y }, k) => {
    k.if(k.localIndex.lt(3), () => k.workgroupBarrier())
    y.at(k.globalIndex).set(1)
  })
  expect(() => compile(bad)).toThrow(/divergent-barrier/)
  try {
    compile(bad)
  } catch (e) {
    expect((e as WeftError).diagnostics.map((x) => x.code)).toEqual(['divergent-barrier', 'unguarded-store'])
    expect((e as WeftError).diagnostics.every((x) => x.position?.file.includes('compile.test.ts'))).toBe(true)
  }
})

describe('the guard of linear launches', () => {
  /** The variants, and whether `explain` says that they have the guard. */
  const explained = (source: KernelSource) =>
    explain(source)
      .split('\nvariant ')
      .slice(1)
      .map((part) => [part.split('\n')[0], part.includes('guard: surplus workgroups')])

  test('lets surplus workgroups leave where the kernel counts them', () => {
    const rows = kernel(
      'rows',
      {
        workgroupSize: [64],
        bindings: { y: output(f32s) },
        params: { rows: d.u32 },
        workgroups: ({ rows }) => [rows],
        guards: 'off',
      },
      ({ y }, k) => {
        y.at(k.workgroupIndex).set(1)
      },
    )
    expect(show(rows)).toContain('if (workgroup_index >= params.rows) {\n    return;\n  }')
    expect(explained(rows)).toEqual([
      ['portable+immediates', true],
      ['portable', true],
    ])
  })

  test('is left out where the tests of the author do it', () => {
    expect(show(scale)).not.toContain('return')
    const early = kernel(
      'early',
      {
        workgroupSize: [64],
        bindings: { y: output(f32s) },
        params: { n: d.u32 },
        workgroups: ({ n }) => [ceilDiv(n, 64)],
      },
      ({ y, n }, k) => {
        const i = k.let('i', k.globalIndex)
        k.if(i.ge(n), () => k.return())
        y.at(i).set(1)
      },
    )
    expect(show(early).match(/return/g)).toHaveLength(1)
    expect(explained(early)).toEqual([
      ['portable+immediates', false],
      ['portable', false],
    ])
  })

  test('but not for a test of something else', () => {
    const other = kernel(
      'other',
      {
        workgroupSize: [64],
        bindings: { y: output(f32s) },
        params: { n: d.u32, m: d.u32 },
        workgroups: ({ n }) => [ceilDiv(n, 64)],
      },
      ({ y, m }, k) => {
        const i = k.let('i', k.globalIndex)
        k.if(i.lt(m), () => y.at(i).set(1))
      },
    )
    expect(show(other)).toContain('return;')
  })
})

test('pointers to module memory are specialised, parts of variables copied', () => {
  const bump = func('bump(p, by)', [ptr('storage', u32, 'read_write'), u32], (p, by) => p.addAssign(by))
  const twice = func('twice(p)', [ptr('function', u32)], (p) => p.set(p.mul(2)))
  const source = kernel(
    'pointers',
    { workgroupSize: [64], bindings: { out: inout(u32s) }, guards: 'off' },
    ({ out }, k) => {
      const a = k.var('a', d.arrayOf(d.u32, 4))
      k.call(twice, a.at(1))
      k.call(bump, out.at(k.localIndex), a.at(1).add(0))
    },
  )
  expect(show(source, { profile: 'baseline' })).toContain(`fn bump_out(p_index: u32, by: u32) {
  out[p_index] += by;
}
`)
  expect(show(source, { profile: 'baseline' })).toContain(`  var p = a[1];
  twice(&p);
  a[1] = p;
  bump_out(local_index, a[1]);
`)
  expect(show(source, { profile: 'chrome' })).toContain('bump(&out[local_index], a[1]);')
})

test('explain says what was lowered and why', () => {
  const source = kernel(
    't',
    { workgroupSize: [64], bindings: { x: input(f32s), y: output(f32s) }, guards: 'off' },
    ({ x, y }, k) => y.at(k.localIndex).set(fn.tanh(x.at(k.localIndex))),
  )
  expect(explain(source)).toContain('lowered: the argument of tanh is clamped to ±15')
  expect(explain(sum, { profile: 'chrome' })).toMatch(/enable subgroups: for subgroupAdd at .*compile\.test\.ts/)
  const half = kernel(
    't',
    {
      workgroupSize: [64],
      bindings: { x: input(d.arrayOf(d.f16)), y: output(f32s) },
      variants: { portable: ['f16'] },
      guards: 'off',
    },
    ({ x, y }, k) => {
      const v = k.let('v', f32(x.at(k.localIndex)))
      y.at(k.localIndex).set(fn.pow(v, v))
    },
  )
  expect(explain(half)).toContain("enable f16: for binding 'x', which holds f16\n")
  expect(explain(half)).not.toContain('pow')
  expect(() => compile(half, { profile: 'baseline' })).toThrow(
    "profile-unsupported: binding 'x', which holds f16, needs the device feature 'shader-f16'",
  )
})

test('explain names the loops that were to be unrolled and stay', () => {
  const rounds = (n: number) =>
    kernel('t', { workgroupSize: [64], bindings: { x: input(f32s), y: output(f32s) }, guards: 'off' }, ({ x, y }, k) =>
      k.range('i', n, (i) => y.at(i).set(x.at(i)), { unroll: true }),
    )
  expect(explain(rounds(100_000))).toMatch(
    /not unrolled: the loop 'i' at .*compile\.test\.ts:\d+:\d+, which has too many rounds/,
  )
  expect(explain(rounds(8))).not.toContain('not unrolled')
})

test('show gives every stage', () => {
  expect(show(scale, { pass: 'source' })).toContain('kernel scale')
  expect(show(scale, { pass: 'cse' })).toContain('kernel scale')
  expect(() => show(scale, { pass: 'nothing' as never })).toThrow(/passes: params, guard/)
})

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['größe'.repeat(100), null],
])('sha256 of %j', async (text, known) => {
  const { createHash } = await import('node:crypto')
  expect(sha256(text)).toBe(known ?? createHash('sha256').update(text).digest('hex'))
})
