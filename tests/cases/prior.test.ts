import { compile } from '@weft/codegen'
import { interpret } from '@weft/codegen/interp'
import { bitcast, d, each, f16, f32, fn, func, inout, input, kernel, output, subgroupMatrix, tuple, u32, type Builder, type Expr } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { computes, refuses, textOf, trial, wgslOf } from '../edge-cases/support.js'
import type { ParityCase } from '../parity/case.js'
import { compileOnce } from '../parity/compiled.js'
import { f32of, f32s, u32of, u32s, unset } from '../parity/data.js'
import { openEngines } from '../parity/engines.js'
import { paritySuite } from '../parity/harness.js'
import { planOf, runPlans } from '../parity/run.js'
import { faultOf } from '../parity/verdict.js'

/** What earlier systems paid for: the failures R17–R29, R37 and R42 of them as tests. (R46 is in tests/cli.) */

/** The sum of a workgroup, with a partial sum for every subgroup that there may be: 4 is the least size. */
const groupSum = kernel('group_sum', { workgroupSize: [128], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, workgroups: () => [1], variants: { subgroups: ['subgroups', 'subgroup-id'], portable: [] } }, ({ x, y }, k) => {
  const partial = k.workgroup('partial', f32, k.variant === 'subgroups' ? 128 / 4 : 128)
  const sum = k.var('sum', f32(0))
  if (k.variant === 'subgroups') {
    const own = k.subgroupAdd(x.at(k.localIndex))
    k.if(k.subgroupInvocationId.eq(0), () => partial.at(k.subgroupId).set(own))
  } else partial.at(k.localIndex).set(x.at(k.localIndex))
  k.workgroupBarrier()
  k.if(k.localIndex.eq(0), () => {
    k.range('i', k.variant === 'subgroups' ? k.numSubgroups : u32(128), (i) => sum.addAssign(partial.at(i)))
    y.at(0).set(sum)
  })
})
const gelu = func('gelu(x)', [f32], (x) => f32`0.5 * ${x} * (1 + tanh(0.7978845608 * (${x} + 0.044715 * ${x} * ${x} * ${x})))`)
const geluOf = (x: number): number => 0.5 * x * (1 + Math.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))

/** Floats with every exponent and many significands, and the powers of ten. */
const FLOATS = [...Array.from({ length: 254 }, (_, i) => new Float32Array(new Uint32Array([((i + 1) << 23) | (Math.imul(i, 0x9e3779b1) & 0x7fffff)]).buffer)[0] as number), ...Array.from({ length: 76 }, (_, i) => Math.fround(10 ** (i - 37)))]
  .filter(Number.isFinite).map((x, i) => (i % 2 ? x : -x))

const nine = Array.from({ length: 7 }, (_, i) => `in${i}`)

const cases: ParityCase[] = [
  { name: '[prior-R17] [prior-R19] sums by subgroups and without, in every variant against the reference', kernel: groupSum, bindings: { x: f32of(128, (i) => i * 0.5), y: unset(1) }, expect: { y: f32s(4064) } },
  computes('[prior-R20] tanh and gelu far out', f32, [1, -1, 1, -1, 0, 50, 0], ({ f32: x }) => [fn.tanh(x(0)), fn.tanh(x(1)), fn.tanh(x(2)), fn.tanh(x(3)), gelu(x(4)), gelu(x(5)), gelu(x(6))], { inputs: { f32: [1e3, -1e3, 44, -60, -13.3, 50, -50] }, tolerance: { kind: 'near', abs: 1e-6, rel: 2e-6, because: 'tanh has an absolute error of 1e-5 by the specification, at most' } }),
  computes('[prior-R20] gelu where it bends', f32, [-3, -1, 0.5, 2].map(geluOf), ({ f32: x }) => [0, 1, 2, 3].map((i) => gelu(x(i))), { inputs: { f32: [-3, -1, 0.5, 2] }, tolerance: { kind: 'near', abs: 2e-5, rel: 1e-5, because: 'the absolute error of tanh, 1e-5, times x' } }),
  {
    name: '[prior-R21] literals of every exponent, and powers of ten, keep their bits', workgroups: [1], bindings: { y: unset(FLOATS.length) }, expect: { y: Float32Array.from(FLOATS) },
    kernel: kernel('literals', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, guards: 'off' }, ({ y }) => FLOATS.forEach((x, i) => { y.at(i).set(x) })),
  },
  computes('[prior-R23] a value of one branch is not used in the other', u32, [21, 12, 21, 12], ({ k, u32: u }) => [0, 1].flatMap((i) => {
    const [a, b] = [k.var(`a${i}`, u32(0)), k.var(`b${i}`, u32(0))]
    k.if(u(i).gt(5), () => { a.set(u(2).mul(u(3)).add(1)); b.set(u(2).mul(u(3)).add(u(i)).sub(u(i))) }, () => a.set(u(2).mul(u(3)).add(1)))
    b.set(fn.select(u32(12), u32(12), u(i).gt(5)))
    return [a, b]
  }), { inputs: { u32: [9, 1, 4, 5] } }),
  {
    name: '[prior-R24] a read is of its time, and not of its use', workgroups: [1], bindings: { x: u32s(1, 2, 3), y: unset(4) }, expect: { x: u32s(10, 20, 1), y: u32s(1, 2, 12, 21) },
    kernel: kernel('reads', { workgroupSize: [1], bindings: { x: inout(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ x, y }, k) => {
      const [a, b] = [x.at(0), x.at(1)]
      x.at(2).set(a)
      x.at(0).set(10)
      const later = x.at(0).add(b)
      x.at(1).set(20)
      const sum = k.var('sum', a)
      const old = sum.add(b).mul(1)
      k.range('i', 3, () => sum.addAssign(x.at(1).sub(13).sub(x.at(0).sub(10))))
      ;[a, b, later, sum.sub(old).add(2).sub(1).add(x.at(2))].forEach((v, i) => { y.at(i).set(v) })
    }),
  },
  {
    name: '[prior-R25] nothing that changes in a loop leaves it', workgroups: [1], bindings: { x: u32s(1, 0, 0, 0, 0, 0), y: unset(3) }, params: { n: 5 }, expect: { x: u32s(1, 2, 4, 8, 16, 32), y: u32s(31, 50, 0) },
    kernel: kernel('loops', { workgroupSize: [1], bindings: { x: inout(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, params: { n: d.u32 }, guards: 'off' }, ({ x, y, n }, k) => {
      const { sum, same, never } = k.var({ sum: u32(0), same: u32(0), never: u32(0) })
      k.range('i', n, (i) => {
        sum.addAssign(x.at(i))
        x.at(i.add(1)).set(x.at(i).mul(2))
        same.addAssign(n.mul(2))
      })
      k.range('i', n.sub(5), (i) => never.addAssign(u32(10).div(n.sub(5)).add(i)))
      ;[sum, same, never].forEach((v, i) => { y.at(i).set(v) })
    }),
  },
  computes('[prior-R26] declarations in bodies, conditions of loops, built-in values', u32, [6, 4, 1, 3], ({ k, u32: u }) => {
    const total = k.var('total', u32(0))
    k.if(u(0).gt(0), () => {
      const tile = k.workgroup('inner_tile', u32, 4)
      const local = k.var('local', u32(2))
      tile.at(1).set(local.mul(3))
      total.set(tile.at(1))
    })
    const n = k.var('n', u32(0))
    k.while(() => n.lt(4), () => n.addAssign(1))
    const cell = k.workgroup('cell', d.atomic(d.u32))
    const { old, exchanged } = cell.compareExchangeWeak(9, 1)
    k.if(exchanged, () => total.set(old))
    const S = d.struct({ f: d.u32, g: d.vec2f })
    const s = k.var('s', S)
    s.f.set(3)
    return [total, n, k.numWorkgroups.x.add(bitcast(u32, f32(0))), s.f]
  }, { inputs: { u32: [1] } }),
  {
    name: '[prior-R37] eight bindings, all of which matter', bindings: { ...Object.fromEntries(nine.map((name, i) => [name, f32of(256, (j) => (i + 1) * (j % 17))])), y: unset(256) }, params: { n: 256 }, expect: { y: f32of(256, (j) => nine.reduce((sum, _, i) => sum + (i + 1) * (i + 1) * (j % 17), 0)) },
    kernel: kernel('eight', { workgroupSize: [64], bindings: { ...(Object.fromEntries(nine.map((name) => [name, input(d.arrayOf(d.f32))])) as Record<never, never>), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, workgroups: ({ n }) => [n.ceilDiv(64)] }, (view, k) => {
      const inputs = view as unknown as Record<string, { at(i: Expr<'u32'>): Expr<'f32'> }>
      const i = k.globalIndex
      k.if(i.lt(view.n), () => view.y.at(i).set(nine.map((name, j) => (inputs[name] as { at(i: Expr<'u32'>): Expr<'f32'> }).at(i).mul(j + 1)).reduce((a, b) => a.add(b))))
    }),
  },
]

/** How often the pattern stands in the text. */
const count = (text: string, pattern: RegExp): number => (text.match(pattern) ?? []).length

describe('failures of earlier systems', () => {
  it.each([4, 8, 16, 32, 64, 128])('[prior-R17] partial sums fit, and are right, with subgroups of %i', (subgroupSize) => {
    const y = new Uint8Array(4)
    interpret(groupSum.ir('subgroups'), { bindings: { x: new Uint8Array(f32of(128, (i) => i).buffer), y }, workgroups: [1], subgroupSize })
    expect([...new Float32Array(y.buffer)]).toEqual([8128])
  })
  it.each<[string, string, (k: Builder, x: Expr<'f32'>) => unknown]>([
    ['subgroupAdd', 'subgroups', (k, x) => k.subgroupAdd(x)], ['subgroupShuffleXor', 'subgroups', (k, x) => k.subgroupShuffleXor(x, 1)], ['quadSwapX', 'subgroups', (k, x) => k.quadSwapX(x)],
    ['subgroup_size', 'subgroups', (k) => k.subgroupSize], ['f16', 'f16', (_, x) => f32(fn.sqrt(fn.abs(f16(x))))],
  ])('[prior-R18] %s enables %s', (_, enable, value) => {
    const wgsl = wgslOf(trial(({ k, x, out }) => out.at(k.localIndex).set(u32(value(k, x) as Expr<'f32'>))))
    expect(wgsl.split('\n')[0]).toBe(`enable ${enable};`)
  })
  it('[prior-R18] subgroup matrices are loaded with all of their arguments', () => {
    const source = kernel('load', { workgroupSize: [128], bindings: { a: input(d.arrayOf(d.f32)), c: output(d.arrayOf(d.f32)) }, workgroups: () => [1], guards: 'off' }, ({ a, c }, k) => {
      k.subgroupMatrixStore(c as never, 4, k.subgroupMatrixLoad(subgroupMatrix('left', f32, { rows: 8, cols: 8 }), a, 8, 16, 'col'), 16)
    })
    expect(wgslOf(source)).toMatch(/^enable chromium_experimental_subgroup_matrix;[\s\S]*subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>, col_major>\(&a, 8u, 16u\)[\s\S]*subgroupMatrixStore<row_major>\(&c, 4u, \w+, 16u\)/)
    expect(compile(source).variants.every((v) => v.needs.features.includes('chromium-experimental-subgroup-matrix'))).toBe(true)
  })
  it('[prior-R20] every profile clamps', () => {
    for (const profile of ['any', 'baseline', 'chrome', 'firefox', 'safari'] as const) expect(textOf(f32, ({ f32: x }) => [gelu(x(0))], { profile })).toMatch(/tanh\(clamp\(/)
  })
  it('[prior-R22] what is used often is computed and read once', () => {
    const wgsl = textOf(f32, ({ f32: x }) => {
      const norm = fn.inverseSqrt(x(0).mul(x(0)).add(x(1).mul(x(1))).add(1e-5))
      const deep = Array.from({ length: 6 }).reduce<Expr<'f32'>>((e) => e.add(e), norm)
      return [deep, norm.mul(2), norm.mul(3), norm.mul(norm)]
    })
    expect(count(wgsl, /inverseSqrt/g)).toBe(1)
    expect(count(wgsl, /in_f32\[0\]/g)).toBe(1)
    expect(wgsl.length).toBeLessThan(1200)
  })
  it('[prior-R25] what does not change leaves the loop, once', () => {
    const wgsl = wgslOf(trial(({ k, x, u, out }) => {
      const sum = k.var('sum', f32(0))
      k.range('i', u, (i) => sum.addAssign(f32(i).mul(fn.sqrt(fn.abs(x).add(2)))))
      out.at(k.localIndex).set(u32(sum))
    }))
    expect(count(wgsl, /sqrt/g)).toBe(1)
    expect(wgsl.indexOf('sqrt')).toBeLessThan(wgsl.indexOf('for ('))
  })
  it('[prior-R27] register blocks are variables, not arrays', () => {
    const wgsl = wgslOf(trial(({ k, x, out }) => {
      const acc = tuple(4, (i) => tuple(4, (j) => k.var(`acc${i}${j}`, f32(0))))
      k.range('k', 16, () => { for (const i of each(4)) for (const j of each(4)) acc[i][j].set(fn.fma(x, x.add(i * 4 + j), acc[i][j])) })
      const sum = k.var('sum', f32(0))
      for (const i of each(4)) for (const j of each(4)) sum.addAssign(acc[i][j])
      out.at(k.localIndex).set(u32(sum))
    }))
    expect(count(wgsl, /var acc\d\d\b/g)).toBe(16)
    expect(wgsl).not.toMatch(/array<f32, \d+>/)
  })
  it('[prior-R28] arrays of a function have a budget', () => {
    const of = (n: number) => trial(({ k }) => k.var('scores', d.arrayOf(d.f32, n)).at(0).set(1))
    expect(wgslOf(of(2048))).toBeDefined()
    refuses(() => compile(of(2049)), 'private-memory', /8196 bytes, more than 8192[\s\S]*workgroup memory/, 'tests/cases/')
  })
  it('[prior-R28] and one that is too short for a constant index is refused', () => {
    refuses(() => trial(({ k }) => k.var('scores', d.arrayOf(d.f32, 256)).at(256).set(1)).ir(), 'bad-index', '256 is not an index of', 'tests/cases/')
  })
  it.each([64, 128])('[prior-R29] workgroup memory of head size %i is counted, and held against the device', (head) => {
    const source = kernel('tiles', { workgroupSize: [64], bindings: {} }, (_, k) => ['q', 'k', 'v'].forEach((name) => { k.workgroup(name, f32, 16, head).at(0, 0).set(1) }))
    const bytes = 3 * 16 * head * 4
    if (bytes <= 16384) expect(compile(source).variants[0]?.needs.limits.maxComputeWorkgroupStorageSize ?? bytes).toBe(bytes)
    else {
      refuses(() => compile(source), 'workgroup-memory', `workgroup variables take ${bytes} bytes (q: 8192, k: 8192, v: 8192), more than 16384`, 'tests/cases/')
      expect(compile(source, { limits: { maxComputeWorkgroupStorageSize: 32768 } }).variants[0]?.needs.limits).toMatchObject({ maxComputeWorkgroupStorageSize: bytes })
    }
  })
  it('[prior-R42] the harness sees one wrong lane, one that nobody wrote, and too few workgroups', async () => {
    const of = (stride: number, off: number): ParityCase => ({
      name: 'wrong', workgroups: [1], bindings: { y: unset(64) }, expect: { y: u32of(64, (i) => i) },
      kernel: kernel('wrong', { workgroupSize: [64], bindings: { y: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ y }, k) => {
        k.if(k.localIndex.lt(stride), () => y.at(k.localIndex).set(k.localIndex.add(fn.select(u32(0), off, k.localIndex.eq(33)))))
      }),
    })
    const engines = await openEngines()
    const plans = [of(64, 0), of(64, 1), of(63, 0), of(6, 0)].map((c) => planOf(c, engines))
    const faults = (await runPlans('faults: earlier systems', plans, engines)).map((finished) => finished.plan.runs.map((run, i) => (run.skipped ? null : (faultOf(finished, i) ?? ''))))
    const [right, ...wrong] = faults
    expect(right?.every((f) => f === null || f === '')).toBe(true)
    for (const list of wrong) expect(list.every((f) => f === null || f.length > 0)).toBe(true)
    expect(wrong[0]?.join()).toContain('y[33]: got 34 (0x22), expected 33 (0x21)')
    expect(wrong[1]?.join()).toContain('y[63]: got 2779096485')
    expect(wrong[2]?.join()).toContain('… and 46 more')
  })
  it('[prior-R19] a variant that a device cannot run is left out with the reason, not replaced in silence', () => {
    const { artifact } = compileOnce(groupSum)
    expect(artifact.variants.map((v) => [v.source, v.needs.features, v.needs.languageFeatures])).toEqual([['subgroups', ['subgroups'], ['subgroup_id']], ['portable', [], []]])
    expect(compile(groupSum, { profile: 'baseline' }).variants.map((v) => v.source)).toEqual(['portable'])
    refuses(() => compile(groupSum, { profile: 'baseline', variants: ['subgroups'] }), 'profile-unsupported', "'subgroups', which the profile 'baseline' does not have", 'tests/cases/')
  })
})

await paritySuite('faults: earlier systems', cases)
