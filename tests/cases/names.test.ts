import { d, f32, fn, func, inout, kernel, override, u32, type Builder, type Expr } from '@weft/dsl'
import { computes } from '../edge-cases/support.js'
import type { ParityCase } from '../parity/case.js'
import { u32s } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'

/** Faults of names: keywords, shadowing, built-ins that are hidden. */

const KEYWORDS = ['struct', 'fn', 'var', 'loop', 'type', 'array', 'ptr', 'target', 'filter', 'self', 'class', 'override', '__private', '_']
const sum = (n: number): number => (n * (n + 1)) / 2

const asFunction = KEYWORDS.map((name) => func(`${name}(${name === '_' ? '__' : name})`, [u32], (x) => x.add(1)))

const cases: ParityCase[] = [
  computes('[case-C01] keywords as names of locals, functions and parameters', u32, [sum(KEYWORDS.length), sum(KEYWORDS.length) + KEYWORDS.length], ({ k, u32: u }) => {
    const values = KEYWORDS.map((name, i) => k.let(name, u(0).mul(i + 1)))
    const all = k.var('var', u32(0))
    for (const v of values) all.addAssign(v)
    const called = k.var('fn', u32(0))
    asFunction.forEach((f, i) => { called.addAssign(f(values[i] as Expr<'u32'>)) })
    return [all, called]
  }, { inputs: { u32: [1] } }),
  ...KEYWORDS.map((name): ParityCase => ({
    name: `[case-C01] a kernel, a binding and an override called ${name}`,
    kernel: kernel(name, { workgroupSize: [1], bindings: { [name]: inout(d.arrayOf(d.u32)) }, overrides: { [`${name}_`]: override(u32, 1) }, workgroups: () => [1] }, (view) => {
      const v = view as unknown as Record<string, { at(i: number): { set(x: unknown): void } }>
      v[name]?.at(0).set(v[`${name}_`])
    }),
    bindings: { [name]: u32s(9) }, overrides: { [`${name}_`]: 5 }, expect: { [name]: u32s(5) },
  })),
  computes('[case-C04] a function declares its parameter again, and blocks the names around them', u32, [2 + 6 + 10, 30 + 1], ({ k, u32: u }) => {
    const shadow = func('shadow(n)', [u32], (n, b: Builder) => {
      const outer = n
      const again = b.var('n', outer.mul(2))
      b.if(outer.gt(1), () => again.addAssign(b.let('n', outer.mul(2))))
      return again.add(b.let('n', outer.mul(0)))
    })
    const total = k.var('total', u32(0))
    for (const x of [1, 2, 3]) total.addAssign(x === 1 ? shadow(u(0)) : shadow(u(0).mul(x)).sub(x === 2 ? 2 : 2))
    const a = k.var('a', u32(0))
    k.if(u(0).eq(1), () => a.addAssign(k.let('v', u(0).mul(10))))
    k.if(u(0).eq(1), () => a.addAssign(k.let('v', u(0).mul(20))), () => a.addAssign(k.let('v', u(0).mul(99))))
    return [total, a.add(k.let('v', u(0)))]
  }, { inputs: { u32: [1] } }),
  computes('[case-C06] locals and parameters called like built-ins that are used after them', f32, [1, 3, 1, 2, 7, 4, 2], ({ k, f32: x }) => {
    const named = Object.fromEntries(['min', 'max', 'step', 'clamp', 'select', 'f32', 'vec4f', 'array', 'bool', 'i32'].map((name, i) => [name, k.var(name, x(0).mul(i))]))
    const min = func('min(max, step)', [f32, f32], (max, step, b: Builder) => b.let('fma', fn.fma(max, step, fn.min(max, step))))
    const live = Object.values(named).reduce<Expr<'f32'>>((a, b) => a.add(b), f32(0))
    return [fn.min(x(0), x(1)), fn.max(x(1), x(2)), fn.step(x(0), x(1)), fn.clamp(x(2), 0, 2), min(x(1), x(2)).sub(1), fn.select(f32(0), 4, live.gt(44)), f32(u32(x(1)))]
  }, { inputs: { f32: [1, 2, 3] } }),
]
await paritySuite('faults: names', cases)
