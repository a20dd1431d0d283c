import { compile } from '@weft/codegen'
import { d, f32, fn, func, inout, input, kernel, output, override, u32, type Builder, type Expr } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { validateNaga } from '../engines/naga.js'
import { validateTint } from '../engines/tint.js'
import type { ParityCase } from '../parity/case.js'
import { paritySuite } from '../parity/harness.js'
import { computes, refuses, textOf, trial, wgslOf } from './support.js'
import { KEYWORDS, RESERVED, WORDS } from './words.js'

/** Edge cases 45–52: names and text. */

const chunks = <T>(list: readonly T[], size: number): T[][] => Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
const total = (n: number): number => (n * (n + 1)) / 2

/** Each word as the name of a let, a variable, a loop's index and a function with a parameter of that name. */
const locals = chunks(WORDS, 30).map((words, n) => computes(`[edge-45 emits] words as names of locals and functions, ${n + 1}`, u32, [total(words.length) * 4], ({ k, u32: u }) => {
  const sum = k.var('total', u32(0))
  words.forEach((word, i) => {
    const double = func(`${word}(${word === '_' ? '__' : word})`, [u32], (x) => x.mul(2))
    const value = k.let(word, u(0).mul(i + 1))
    const variable = k.var(word, value)
    // few loops and functions, which cost the compilers of the engines most
    if (i % 5 === 0) k.range(word, u(0), (j) => variable.addAssign(value.add(j)))
    else k.if(u(0).gt(0), () => variable.addAssign(k.let(word, value)))
    sum.addAssign(i % 3 === 0 ? double(variable) : variable.mul(2))
  })
  return [sum]
}, { inputs: { u32: [1] } }))

/** TypeGPU's own schemas refuse most reserved words as keys. */
const isKey = (word: string): boolean => {
  try {
    return d.struct({ [word]: d.u32 }) !== undefined
  } catch {
    return false
  }
}

/** Each word that can be a key as the name of a field. */
const fields = chunks(WORDS.filter(isKey), 60).map((words, n): ParityCase => {
  const S = d.struct(Object.fromEntries(words.map((w) => [w, d.u32])))
  return {
    name: `[edge-45 emits] words as names of fields, ${n + 1}`,
    kernel: kernel('fields', { workgroupSize: [1], bindings: { s: inout(S) } }, ({ s }) => {
      for (const w of words) (s as never as Record<string, { addAssign(x: number): void }>)[w]?.addAssign(1)
    }),
    bindings: { s: Uint32Array.from(words, (_, i) => i) }, workgroups: [1], expect: { s: Uint32Array.from(words, (_, i) => i + 1) },
  }
})

/** Eight words at a time as names of the kernel, bindings, params and overrides. */
const declared = chunks(WORDS, 16).map((words, n): ParityCase => {
  const [kernelName = 'k', ...rest] = words
  const [bindings, params, overrides] = [rest.slice(0, 4), rest.slice(4, 10), rest.slice(10)]
  return {
    name: `[edge-45 emits] words as names of kernels, bindings, params and overrides, ${n + 1}`,
    kernel: kernel(kernelName, {
      workgroupSize: [1],
      bindings: { ...Object.fromEntries(bindings.map((b) => [b, input(d.arrayOf(d.u32))])), result: output(d.arrayOf(d.u32)) },
      params: Object.fromEntries(params.map((p) => [p, d.u32])) as Record<never, typeof d.u32>,
      overrides: Object.fromEntries(overrides.map((o, i) => [o, override(u32, i)])),
    }, (view, k) => {
      const v = view as unknown as Record<string, Expr<'u32'> & { at(i: number): Expr<'u32'> }>
      const sum = k.var('sum', u32(0))
      for (const b of bindings) sum.addAssign((v[b] as unknown as { at(i: number): Expr<'u32'> }).at(0))
      for (const p of [...params, ...overrides]) sum.addAssign(v[p] as Expr<'u32'>)
      ;(view as unknown as { result: { at(i: number): { set(x: Expr<'u32'>): void } } }).result.at(0).set(sum)
    }),
    bindings: { ...Object.fromEntries(bindings.map((b, i) => [b, Uint32Array.of(i + 1)])), result: new Uint8Array(4).fill(0xa5) },
    params: Object.fromEntries(params.map((p, i) => [p, 10 * (i + 1)])),
    overrides: Object.fromEntries(overrides.map((o, i) => [o, 100 * (i + 1)])),
    workgroups: [1],
    expect: { result: Uint32Array.of(total(bindings.length) + 10 * total(params.length) + 100 * total(overrides.length)) },
  }
})

const more = [
  computes('[edge-46 emits] legal names stay', u32, [6], ({ k, u32: u }) => [k.let('größe', k.var('Δx', u(0)).add(k.let('_x', u(0).mul(2))))], { inputs: { u32: [2] } }),
  computes('[edge-47 emits] built-ins are there although something has their name', f32, [3, 1, 2, 4], ({ k, f32: x }) => {
    const [min, clamp, select, step] = ['min', 'clamp', 'select', 'step'].map((name, i) => k.let(name, x(i)))
    k.var('f32', x(0)).addAssign(1)
    k.var('vec4f', x(0)).addAssign(1)
    return [fn.max(fn.min(min as Expr<'f32'>, 9), 3), fn.clamp(clamp as Expr<'f32'>, 0, 1), fn.select(f32(0), 2, (select as Expr<'f32'>).gt(0)), f32(u32(fn.step(step as Expr<'f32'>, 9)).add(3))]
  }, { inputs: { f32: [1, 2, 3, 4] } }),
  computes('[edge-48 emits] one name in one scope, in inner and in sibling scopes', u32, [100 + 20 + 3, 7], ({ k, u32: u }) => {
    const a = k.var('a', u(0))
    const outer = k.var('a', u(0).mul(2))
    k.if(u(0).gt(0), () => { const b = k.let('a', u(0).mul(3)); a.set(b.mul(0).add(100)) }, () => a.set(k.let('a', u(0))))
    k.if(u(0).gt(0), () => outer.set(k.let('a', u(0).mul(20))))
    const late = k.let('a', u(0).add(2))
    const count = k.var('i', u32(0))
    k.range('i', 3, (i) => k.range('i', i, (j) => count.addAssign(j.add(1))))
    return [a.add(outer).add(late), count.add(3)]
  }, { inputs: { u32: [1] } }),
  computes('[edge-49 emits] functions that call functions', u32, [14], ({ u32: u }) => [outermost(u(0))], { inputs: { u32: [2] } }),
  computes('[edge-51 emits] names that escaping could confuse', u32, [12345678], ({ k, u32: u }) => {
    const names = ['type', 'type_', 'type_1', 'type__1', '_type', 'x__i', '__i', 'v_i']
    const values = names.map((name, i) => k.var(name, u(0).mul(i + 1)))
    return [values.reduce<Expr<'u32'>>((sum, v) => sum.mul(10).add(v), u32(0))]
  }, { inputs: { u32: [1] } }),
]

const inner = func('inner(x)', [u32], (x) => x.mul(3))
const middle = func('middle(x)', [u32], (x) => inner(x).add(1))
const outermost = func('outermost(x)', [u32], (x, _k: Builder) => middle(x).mul(x))

describe('names and text, edge cases 45–52', () => {
  it('[edge-45 emits] none of the words is left as a name', () => {
    const wgsl = locals.map((c) => wgslOf(c.kernel)).join('\n')
    const illegal = new Set([...KEYWORDS, ...RESERVED])
    const names = [...wgsl.matchAll(/\b(?:let|var(?:<\w+>)?|fn|const|struct) ([^\s:=(<]+)/g)].map((m) => m[1] as string)
    expect(names.length).toBeGreaterThan(500)
    expect(names.filter((name) => illegal.has(name) || name === '_' || name.startsWith('__'))).toEqual([])
  })
  it('[edge-45 refuses] reserved words as keys of a struct, by its schema', () => {
    expect([...KEYWORDS, ...RESERVED].filter(isKey)).toEqual(['binding_array'])
    expect(() => d.struct({ target: d.u32 })).toThrow("Invalid property key 'target'")
  })
  it.each(['$x', 'a b', '1x', '', 'x-y', 'x;', '😀', 'a\u2028b'])('[edge-46 refuses] %j as a name', (name) => {
    refuses(() => trial(({ k, x }) => k.let(name, x)).ir(), 'bad-name', 'is not a name for a let')
    refuses(() => trial(({ k, x }) => k.var(name, x)).ir(), 'bad-name', 'is not a name for a variable')
    refuses(() => trial(({ k }) => k.workgroup(name, f32, 4)).ir(), 'bad-name', 'is not a name for a workgroup variable')
    refuses(() => kernel(name, { workgroupSize: [1], bindings: {} }, () => undefined), 'bad-name', 'is not a name for a kernel')
    refuses(() => kernel('k', { workgroupSize: [1], bindings: { [name]: input(d.arrayOf(d.f32)) } }, () => undefined).ir(), 'bad-name', 'is not a name for a binding')
    refuses(() => kernel('k', { workgroupSize: [1], bindings: {}, params: { [name]: d.f32 } }, () => undefined).ir(), 'bad-name', 'is not a name for a param')
  })
  it('[edge-46 emits] legal letters stay in the text', () => {
    expect(textOf(u32, ({ k, u32: u }) => [k.let('größe', k.var('Δx', u(0)).add(k.var('_x', u(0)))).mul(2).add(k.let('größe', u(0)))])).toMatch(/Δx[\s\S]*_x/)
  })
  it('[edge-48 emits] no name is declared twice in a module', () => {
    const wgsl = wgslOf(more[2]?.kernel as never)
    // of names declared at one depth of indentation, none is declared twice
    const names = [...wgsl.matchAll(/^ {2}(?:let|var) (\w+)/gm)].map((m) => m[1])
    expect(names.length).toBeGreaterThan(3)
    expect(names).toEqual([...new Set(names)])
  })
  it('[edge-49 emits] callees come first, in the same order each time', () => {
    const text = () => textOf(u32, ({ u32: u }) => [outermost(u(0)), middle(u(0)), inner(u(0))])
    const order = [...text().matchAll(/fn (inner|middle|outermost|main)/g)].map((m) => m[1])
    expect(order).toEqual(['inner', 'middle', 'outermost', 'main'])
    expect(text()).toBe(text())
  })
  const ENDS = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029']
  it.each([...ENDS, '*/', '\0', '\ufeff'])('[edge-50 emits] a doc comment with %j cannot leave its comment', async (end) => {
    const source = trial(() => undefined)
    const { variants: [variant] } = compile(source, { doc: `a doc${end}var<private> injected: u32;${end}/* and ${end} more` })
    const wgsl = variant?.wgsl ?? ''
    const code = wgsl.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => !line.trimStart().startsWith('//')).join('\n')
    expect(wgsl).toContain('injected')
    expect(code).not.toContain('injected')
    expect(wgsl).not.toMatch(/[\0\ufeff\r\v\f\u0085\u2028\u2029]/)
    expect(await validateTint(wgsl)).toMatchObject({ ok: true })
    expect(await validateNaga(wgsl)).toMatchObject({ ok: true })
  })
  it('[edge-52 emits] text is the same each time, and of no machine', () => {
    const build = () => trial(({ k, x, u }) => { const s = k.var('größe', x.mul(1e-7)); k.range('i', u, (i) => s.addAssign(f32(i).mul(1234567.5))); })
    const [first, second] = [build(), build()].map((source) => compile(source, { doc: 'A kernel.\r\nIn two lines.' }))
    expect(second?.variants.map((v) => v.wgsl)).toEqual(first?.variants.map((v) => v.wgsl))
    expect(second?.hash).toBe(first?.hash)
    for (const { wgsl } of first?.variants ?? []) {
      expect(wgsl.endsWith('\n') && !wgsl.endsWith('\n\n')).toBe(true)
      expect(wgsl).not.toMatch(/\r|\t|^\ufeff| $|\d,\d{3}/m)
      expect(wgsl).not.toMatch(/\/(home|work|usr|Users|tmp)\/|\.ts\b|20\d\d-\d\d/)
      expect(Buffer.from(wgsl, 'utf8').toString('utf8')).toBe(wgsl)
    }
  })
})

await paritySuite('edges: names', [...locals, ...fields, ...declared, ...more])
