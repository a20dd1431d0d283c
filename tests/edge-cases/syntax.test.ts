import { compile } from '@weft/codegen'
import { bool, d, f32, fn, func, i32, input, kernel, mat2x2f, mat2x3f, mat3x2f, output, ptr, u32, vec2f, vec2u, vec3f, vec4f, vec4u, type Builder, type Expr } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { paritySuite } from '../parity/harness.js'
import { computes, decides, refuses, textOf, trial, wgslOf } from './support.js'

/** Edge cases 29–44: operators, statements, functions. */

/** n operands that no compiler can combine. */
const nested = (x: Expr<'u32'>, depth: number): Expr<'u32'> => Array.from({ length: depth }).reduce<Expr<'u32'>>((sum, _, i) => (i % 2 ? sum.mul(3) : x.sub(sum)), x)
const nestedValue = (x: number, depth: number): number => Array.from({ length: depth }).reduce<number>((sum, _, i) => (i % 2 ? Math.imul(sum, 3) : x - sum) >>> 0, x)

const twice = func('twice(v)', [vec3f], (v) => v.add(v))
const clampAll = func('clamp_all(v, most)', [vec3f, f32], (v, most, k: Builder) => {
  const w = k.var('w', v)
  w.x.set(fn.min(w.x, most))
  k.if(w.y.gt(most), () => k.return(vec3f(0)))
  return w
})
const bump = func('bump(p, by)', [ptr('function', u32), u32], (p, by, _k: Builder) => p.addAssign(by))

const syntax = [
  decides('[edge-29 emits] comparisons, logic and bits mixed, in parentheses', [true, false, true, true], ({ u32: u }) => [
    u(0).lt(u(1)).eq(u(1).lt(u(2))), u(0).bitAnd(u(1)).bitOr(u(2)).eq(0), u(0).lt(u(1)).and(u(1).lt(u(2))).or(u(2).lt(u(0))), u(0).bitAnd(u(1)).eq(0),
  ], { inputs: { u32: [1, 2, 4] } }),
  computes('[edge-29 emits] arithmetic, shifts and bits mixed', u32, [(1 + 2) << 1, 1 + (2 << 1), (1 ^ 6) | (2 & 4), 1 ^ (6 | 2), (7 - 2) & 3], ({ u32: u }) => [u(0).add(u(1)).shl(1), u(0).add(u(1).shl(1)), u(0).bitXor(6).bitOr(u(1).bitAnd(u(2))), u(0).bitXor(u32(6).bitOr(u(1))), u32(7).sub(u(1)).bitAnd(3)], { inputs: { u32: [1, 2, 4] } }),
  computes('[edge-30 emits] 600 operands, in a row and nested', u32, [600 * 601 / 2, nestedValue(7, 300), 599], ({ u32: u }) => [
    Array.from({ length: 600 }, (_, i) => u(0).mul(i + 1)).reduce((a, b) => a.add(b)), nested(u(1), 300), Array.from({ length: 600 }, (_, i) => u(0).mul(i)).reduce((a, b) => fn.max(a, b)),
  ], { inputs: { u32: [1, 7] } }),
  computes('[edge-30 emits] forty nested branches, and fifty alternatives', u32, [40, 49], ({ k, u32: u }) => {
    const depth = k.var('depth', u32(0))
    const down = (n: number): void => void k.if(u(0).gt(n), () => { depth.set(n + 1); if (n < 39) down(n + 1) })
    down(0)
    const found = k.var('found', u32(0))
    const which = k.let('which', u(1))
    let chain = k.if(which.eq(0), () => found.set(1))
    for (let n = 1; n < 50; n++) chain = chain.elseIf(which.eq(n), () => found.set(n))
    return [depth, found]
  }, { inputs: { u32: [1000, 49] } }),
  computes('[edge-31 emits] comparisons as arguments', u32, [1, 2], ({ u32: u }) => [fn.select(u32(0), 1, u(0).lt(u(1)).and(u(2).gt(u(0)))), fn.select(fn.select(u32(1), 2, u(0).lt(u(1))), 3, u(2).gt(u(3)))], { inputs: { u32: [1, 2, 3, 9] } }),
  computes('[edge-31 emits] a name less than a shift', u32, [1, 0, 1, 1, 3], ({ u32: u, k }) => {
    const { a, b, c } = k.let({ a: u(0), b: u(1), c: u(2) })
    const yes = (test: Expr<'bool'>): Expr<'u32'> => fn.select(u32(0), 1, test)
    return [yes(a.lt(b.shr(c))), yes(a.gt(b.shr(c))), yes(b.shr(c).gt(a)), yes(a.lt(b.shr(c)).and(b.gt(c))), fn.max(yes(a.lt(b.shr(c))), u32(3))]
  }, { inputs: { u32: [1, 9, 2] } }),
  computes('[edge-31 emits] ranges and loops up to a shift', u32, [6, 3], ({ u32: u, k }) => {
    const [range, loop] = [k.var('range', u32(0)), k.var('loop', u32(0))]
    k.range('i', 0, u(0).shr(u(1)), (i) => range.addAssign(i))
    k.for('j', u32(1), (j) => j.lt(u(0).shr(u(1))), (j) => j.add(1), () => loop.addAssign(1))
    return [range, loop]
  }, { inputs: { u32: [8, 1] } }),
  computes('[edge-32 emits] minus a negative', i32, [5, 1, 3, -3, 5], ({ i32: i }) => [i(0).sub(i(1).neg()), i(0).sub(i(1)), i(0).neg().neg(), i(0).neg(), i(0).sub(-2)], { inputs: { i32: [3, 2] } }),
  computes('[edge-33 emits] select takes the false value first', f32, [2, 1, 4, 2, 1], ({ f32: x, k }) => [
    fn.select(x(0), x(1), x(0).lt(x(1))), fn.select(x(0), x(1), x(1).lt(x(0))), fn.select(vec2f(1, 2), vec2f(3, 4), vec2f(0, 1).lt(x(0))).x.add(1), k.when(x(0).lt(x(1)), () => x(1), x(0)), k.when(x(1).lt(x(0)), () => x(1), () => x(0)),
  ], { inputs: { f32: [1, 2] } }),
  decides('[edge-34 emits] comparisons of vectors, whole and lane by lane', [true, false, true, true, false], ({ f32: x }) => {
    const [a, b] = [vec3f(x(0), 2, 3), vec3f(1, x(1), 3)]
    return [fn.all(a.eq(b)), fn.any(a.ne(b)), a.eq(b).x, fn.any(a.gt(vec3f(0, 9, 9))), fn.all(a.gt(vec3f(0, 9, 9)))]
  }, { inputs: { f32: [1, 2] } }),
  computes('[edge-35 emits] vectors of another scalar type by conversion of each', vec2f, [3, 3, -1, 2], ({ i32: i, u32: u }) => [vec2f(f32(i(0))), vec2f(f32(i(1)), f32(u(0)))], { inputs: { i32: [3, -1], u32: [2] } }),
  computes('[edge-36 emits] matrices: columns first, products on both sides', f32, [3, 6, 4 + 15, 1 + 6, 9, 30, 20], ({ f32: x }) => {
    const m = mat2x3f(vec3f(1, 2, 3), vec3f(4, 5, x(0)))
    return [m.at(0).z, m.at(1).at(2), m.mul(vec2f(-1, 1)).z.add(16), vec3f(1, 0, 2).mul(m).x, m.mul(3).at(0).z, m.mul(mat3x2f(vec2f(1, 0), vec2f(0, 1), vec2f(2, 3))).at(2).z.add(6), m.add(m).at(1).x.add(fn.transpose(m).at(2).y).add(6)]
  }, { inputs: { f32: [6] } }),
  computes('[edge-37 emits] lanes are written one by one', vec4f, [1, 9, 3, 7, 5, 6, 0, 0], ({ k, f32: x }) => {
    const v = k.var('v', vec4f(1, 2, 3, 4))
    v.y.set(x(0))
    v.at(3).set(7)
    const w = k.var('w', vec4f(0))
    const { y, x: first } = v.swizzle('wyxz').add(0)
    w.x.set(first.sub(2))
    w.y.set(y.sub(3))
    return [v, w]
  }, { inputs: { f32: [9] } }),
  computes('[edge-38 emits] increments, and values that are dropped', u32, [3, 6], ({ k, u32: u }) => {
    const n = k.var('n', u(0))
    n.addAssign(1)
    n.addAssign(1)
    const m = k.var('m', u(1))
    bump(m, 1)
    return [n, m]
  }, { inputs: { u32: [1, 5] } }),
  computes('[edge-39 emits] switch: several selectors, negative ones, and no default given', i32, [10, 20, 20, 0, 30], ({ k, i32: i }) => [0, 1, 2, 3, 4].map((n) => {
    const r = k.var(`r${n}`, i32(0))
    k.switch(i(n), ({ case: on }) => {
      on(1, () => r.set(10))
      on([2, 3], () => r.set(20))
      on(-1, () => { k.if(i(0).eq(1), () => { r.set(30); k.break() }); r.set(40) })
    })
    return r
  }), { inputs: { i32: [1, 2, 3, 9, -1] } }),
  computes('[edge-39 emits] switch on u32 with only a default', u32, [7, 0x80000000], ({ k, u32: u }) => {
    const a = k.var('a', u32(0))
    k.switch(u(0), (s) => s.default(() => a.set(7)))
    const b = k.var('b', u32(0))
    k.switch(u(1), (s) => { s.case(0x80000000, () => b.set(u(1))); s.default(() => b.set(1)) })
    return [a, b]
  }, { inputs: { u32: [5, 0x80000000] } }),
  computes('[edge-40 emits] a function and a kernel that end in a loop without another end', u32, [8, 5], ({ k, u32: u }) => [firstPower(u(0)), k.let('m', firstPower(u(1)).sub(3))], { inputs: { u32: [5, 8] } }),
  computes('[edge-41 emits] a loop left at its end', u32, [10, 5], ({ k, u32: u }) => {
    const [sum, n] = [k.var('sum', u32(0)), k.var('n', u32(0))]
    k.loop(() => { n.addAssign(1); k.if(n.eq(2), () => k.continue()); sum.addAssign(n) }, () => n.ge(u(0)))
    return [sum.sub(3), n]
  }, { inputs: { u32: [5] } }),
  computes('[edge-42 emits] parameters are copied where they are written', vec3f, [1, 1, 0, 2, 4, 6, 1, 2, 3], ({ f32: x }) => [clampAll(vec3f(x(2), 1, 0), 1), twice(vec3f(x(0), x(1), x(2))), fn.select(clampAll(vec3f(1, 2, x(2)), 2), vec3f(x(0), x(1), x(2)), x(0).gt(0))], { inputs: { f32: [1, 2, 3] } }),
  computes('[edge-42 emits] a lane and an element as the target of a pointer', vec4u, [1, 7, 3, 4, 1, 2, 8, 4], ({ k, u32: u }) => {
    const v = k.var('v', vec4u(1, 2, 3, 4))
    bump(v.y, u(0))
    const list = k.var('list', d.arrayOf(d.vec4u, 2))
    list.at(1).set(vec4u(1, 2, 3, 4))
    bump(list.at(1).z, u(0))
    return [v, list.at(1)]
  }, { inputs: { u32: [5] } }),
  computes('[edge-44 emits] arrays and structs with atomics are reached by element', u32, [6, 3], ({ k, u32: u }) => {
    const cells = k.workgroup('cells', d.arrayOf(d.struct({ count: d.atomic(d.u32), tag: d.u32 }), 2))
    const hits = cells.at(0).count.add(u(0))
    cells.at(0).tag.set(hits.add(3))
    return [cells.at(0).count.load().mul(2), cells.at(0).tag]
  }, { inputs: { u32: [3] } }),
]

/** The first power of two that is not below n. */
const firstPowerSource = func('first_power(n)', [u32], (n, k: Builder) => {
  const p = k.var('p', u32(1))
  k.loop(() => { k.if(p.ge(n), () => k.return(p)); p.set(p.mul(2)) })
})
function firstPower(n: Expr<'u32'>): Expr<'u32'> {
  return firstPowerSource(n) as unknown as Expr<'u32'>
}

describe('operators and syntax, edge cases 29–44', () => {
  it.each([
    ['a < b < c', ({ u }: { u: Expr<'u32'> }) => bool`${u} < ${u} < ${u}`], ['a & b | c', ({ u }: { u: Expr<'u32'> }) => u32`${u} & ${u} | ${u}`], ['a && b || c', ({ u }: { u: Expr<'u32'> }) => bool`${u.eq(0)} && ${u.eq(1)} || ${u.eq(2)}`],
    ['a + b << c', ({ u }: { u: Expr<'u32'> }) => u32`${u} + ${u} << 1`], ['a & b == c', ({ u }: { u: Expr<'u32'> }) => bool`${u} & ${u} == ${u}`],
  ] as const)('[edge-29 refuses] a template that WGSL would not parse: %s', (_, body) => {
    refuses(() => trial((t) => t.k.let('a', body(t) as never)).ir(), 'bad-template', 'needs parentheses here')
  })
  it('[edge-30 emits] no line nests deeper than compilers take', () => {
    const wgsl = textOf(u32, ({ u32: u }) => [nested(u(0), 400), Array.from({ length: 1000 }, (_, i) => u(0).mul(i)).reduce((a, b) => a.bitXor(b))])
    for (const line of wgsl.split('\n')) {
      let [depth, most] = [0, 0]
      for (const c of line) most = Math.max(most, (depth += c === '(' ? 1 : c === ')' ? -1 : 0))
      expect(most).toBeLessThan(100)
      expect(line.split(/ [-+^*] /).length).toBeLessThan(500)
    }
  })
  it('[edge-30 refuses] more nested blocks than any compiler takes', () => {
    refuses(() => compile(trial(({ k, u }) => {
      const down = (n: number): void => void k.if(u.gt(n), () => { if (n < 80) down(n + 1) })
      down(0)
    })), 'too-deep', /blocks are nested more than 60 deep[\s\S]*into a function/)
    refuses(() => compile(trial(({ k, u }) => {
      const [a, which] = [k.var('a', u32(0)), k.let('which', u)]
      let chain = k.if(which.eq(0), () => a.set(1))
      for (let n = 1; n < 140; n++) chain = chain.elseIf(which.eq(n), () => a.set(n))
    })), 'too-deep', /nested more than 60 deep[\s\S]*k\.switch/)
  })
  it('[edge-32 emits] no two minus signs stand side by side', () => {
    expect(textOf(i32, ({ i32: i }) => [i(0).sub(i(0).mul(2).neg()), i(0).sub(-2), i32(3).sub(i32(-3)).add(i(0)), i(0).neg().sub(i(0))])).not.toMatch(/--/)
  })
  it('[edge-33 refuses] select of arrays and structs', () => {
    const S = d.struct({ a: d.f32 })
    refuses(() => trial(({ k, x }) => { const s = k.var('s', S); k.let('b', fn.select(s as never, s as never, x.gt(0))) }).ir(), 'no-overload', 'select(S, S, bool) does not exist')
  })
  it('[edge-34 refuses] a vector of bools as a condition, and == of structs', () => {
    refuses(() => trial(({ k, x }) => k.if(vec3f(x).eq(1) as never, () => undefined)).ir(), 'type-mismatch', /vec3<bool>[\s\S]*fn\.all\(x\) or fn\.any\(x\)/)
    refuses(() => trial(({ k }) => { const s = k.var('s', d.arrayOf(d.f32, 2)); k.let('b', fn.select(u32(0), 1, (s as never as Expr<'f32'>).eq?.(s as never))) }).ir(), 'no-overload', 'does not exist')
  })
  it.each(['add', 'sub', 'mul', 'div', 'lt', 'eq'] as const)('[edge-35 refuses] %s of mixed types', (op) => {
    refuses(() => trial(({ k, x, i }) => k.let('a', x[op](i as never) as never)).ir(), 'no-overload', `${op}(f32, i32) does not exist`)
    refuses(() => trial(({ k, i, u }) => k.let('a', i[op](u as never) as never)).ir(), 'no-overload', `${op}(i32, u32) does not exist`)
    refuses(() => trial(({ k, x }) => k.let('a', vec2f(x)[op](vec3f(x) as never) as never)).ir(), 'no-overload', 'does not exist')
  })
  it('[edge-35 refuses] a vector made of another scalar type', () => {
    refuses(() => trial(({ k, i }) => k.let('a', vec2f(i))).ir(), 'no-overload', /vec2f\(i32\) does not exist[\s\S]*convert them first, f32\(x\)/)
    refuses(() => trial(({ k, x, u }) => k.let('a', vec2f(x, u))).ir(), 'no-overload', 'vec2f(f32, u32) does not exist')
  })
  it('[edge-36 refuses] matrix + scalar, and shapes that do not fit', () => {
    refuses(() => trial(({ k, x }) => k.let('a', mat2x2f().add(x as never))).ir(), 'no-overload', 'does not exist')
    refuses(() => trial(({ k }) => k.let('a', mat2x2f().add(1 as never))).ir(), 'no-overload', 'add(mat2x2f, 1) does not exist')
    refuses(() => trial(({ k, x }) => k.let('a', mat2x3f().mul(vec3f(x)) as never)).ir(), 'no-overload', 'mul(mat2x3f, vec3f) does not exist')
    refuses(() => trial(({ k, x }) => k.var('m', mat2x2f()).set(x as never)).ir(), 'type-mismatch', "the value of 'm' must be mat2x2f, and is an expression of type f32")
    refuses(() => trial(({ k }) => k.var('m', mat2x2f()).set(1 as never)).ir(), 'type-mismatch', "the value of 'm' must be mat2x2f, and is 1")
  })
  it('[edge-37 emits] no assignment to a swizzle', () => {
    const wgsl = textOf(vec4f, ({ k, f32: x }) => { const v = k.var('v', vec4f(0)); v.x.set(x(0)); v.z.set(x(0)); return [v] })
    expect(wgsl).not.toMatch(/\.[xyzw]{2,} =/)
    expect(wgsl).toMatch(/\.z = /)
  })
  it('[edge-37 refuses] setting several lanes at once', () => {
    refuses(() => trial(({ k, x }) => (k.var('v', vec4f(0)).xy as never as { set(v: unknown): void }).set(vec2f(x))).ir(), 'binding-access', "'v'.xy is a value and cannot be written")
  })
  it('[edge-38 refuses] an expression that nothing uses', () => {
    refuses(() => trial(({ x }) => x.add(1)).ir(), 'unused-value', /the value of add is not used[\s\S]*an expression alone does nothing/)
    refuses(() => trial(({ x }) => fn.sqrt(x)).ir(), 'unused-value', 'the value of sqrt is not used')
  })
  it('[edge-38 emits] a call whose value is dropped is a statement', () => {
    const touch = func('touch(p)', [ptr('function', u32)], (p, k: Builder) => { p.addAssign(1); return k.let('now', p) })
    expect(textOf(u32, ({ k, u32: u }) => { const n = k.var('n', u(0)); touch(n); return [n] })).toMatch(/^ *(_ = )?touch\w*\(/m)
  })
  it('[edge-39 refuses] selectors that repeat, are no integers, or are not there', () => {
    refuses(() => trial(({ k, i }) => k.switch(i, (s) => { s.case(1, () => undefined); s.case([2, 1], () => undefined) })).ir(), 'bad-switch', 'case 1 stands twice')
    refuses(() => trial(({ k, u }) => k.switch(u, (s) => s.case(-1, () => undefined))).ir(), 'bad-literal', '-1 is not a value of u32')
    refuses(() => trial(({ k, u }) => k.switch(u, (s) => s.case(1.5, () => undefined))).ir(), 'bad-literal', '1.5 is not a value of u32')
    refuses(() => trial(({ k, u }) => k.switch(u, (s) => { s.default(() => undefined); s.default(() => undefined) })).ir(), 'bad-switch', 'two defaults')
    refuses(() => trial(({ k, x }) => k.switch(x as never, () => undefined)).ir(), 'bad-switch', 'the selector of k.switch must be i32 or u32')
    refuses(() => trial(({ k, u }) => k.switch(u, (s) => s.case(u as never, () => undefined))).ir(), 'type-mismatch', 'a value must be u32, and is an expression of type u32')
    refuses(() => trial(({ k, u }) => k.switch(u, (s) => s.case([], () => undefined))).ir(), 'bad-switch', 'has no selectors')
  })
  it('[edge-40 refuses] a loop that nothing leaves', () => {
    refuses(() => compile(trial(({ k }) => { const n = k.var('n', u32(0)); k.loop(() => n.addAssign(1)) })), 'endless-loop', /nothing leaves this loop[\s\S]*break, return/)
    refuses(() => compile(trial(({ k, u }) => { const n = k.var('n', u32(0)); k.range('i', u, () => k.loop(() => n.addAssign(1))) })), 'endless-loop', 'nothing leaves this loop')
    refuses(() => compile(trial(({ k, u }) => { const n = k.var('n', u32(0)); k.range('i', 0, u, 0, () => n.addAssign(1)) })), 'endless-loop', 'has step 0')
  })
  it('[edge-40 emits] a function that ends in a loop returns, for naga', () => {
    expect(wgslOf(syntax.find((c) => c.name.startsWith('[edge-40'))?.kernel as never)).toMatch(/fn first_power[\s\S]*?\n {2}return [^;]*;\n}/)
  })
  it('[edge-41 refuses] a path without a return, and a break out of place', () => {
    const half = func('half_way(n)', [u32], (n, k: Builder) => void k.if(n.gt(1), () => k.return(n)))
    refuses(() => compile(trial(({ k, u }) => k.let('a', half(u) as never))), 'missing-return', "'half_way' may end without returning u32")
    refuses(() => trial(({ k, u }) => { const n = k.var('n', u); k.loop(() => n.addAssign(1), () => k.break()) }).ir(), 'misplaced-statement', /k\.break\(\) stands in the continuing block[\s\S]*return a condition/)
    refuses(() => trial(({ k }) => k.break()).ir(), 'misplaced-statement', 'k.break() stands outside a loop')
    refuses(() => trial(({ k }) => k.continue()).ir(), 'misplaced-statement', 'k.continue() stands outside a loop')
  })
  it('[edge-42 refuses] setting a parameter, a let or a value', () => {
    for (const method of ['set', 'addAssign'] as const) {
      const change = func('change(v)', [f32], (v) => { (v as never as Record<typeof method, (x: number) => void>)[method](1); return v })
      refuses(() => trial(({ k, x }) => k.let('a', change(x))).ir(), 'binding-access', "parameter 'v' is a value and cannot be written")
    }
    refuses(() => trial(({ k, x }) => (k.let('a', x) as never as { set(v: number): void }).set(1)).ir(), 'binding-access', "'a' is a value and cannot be written")
    refuses(() => trial(({ k, x }) => bump(k.let('a', u32(x)) as never, 1)).ir(), 'bad-argument', "argument 'p' of bump must be a variable, an element of one or a binding, and is an expression of type u32")
  })
  it('[edge-42 emits] no address of a lane of a vector, in any profile', () => {
    const lane = trial(({ k, x }) => { const v = k.var('v', vec4u(u32(x))); bump(v.x, 1) })
    for (const profile of ['any', 'baseline', 'chrome', 'firefox', 'safari'] as const) expect(wgslOf(lane, { profile })).not.toMatch(/&\w+\.[xyzw]/)
  })
  it('[edge-43 refuses] recursion, direct and through another, with the path', () => {
    const self: (n: Expr<'u32'>) => Expr<'u32'> = func('self(n)', [u32], (n): Expr<'u32'> => self(n.sub(1)))
    refuses(() => trial(({ k, u }) => k.let('a', self(u))).ir(), 'recursion', /self calls self: WGSL has no recursion[\s\S]*write a loop/)
    const even: (n: Expr<'u32'>) => Expr<'u32'> = func('even(n)', [u32], (n): Expr<'u32'> => odd(n.sub(1)))
    const odd: (n: Expr<'u32'>) => Expr<'u32'> = func('odd(n)', [u32], (n): Expr<'u32'> => even(n.sub(1)))
    refuses(() => trial(({ k, u }) => k.let('a', even(u))).ir(), 'recursion', 'even calls odd calls even: WGSL has no recursion')
  })
  it('[edge-44 refuses] naming a runtime-sized array or one with atomics', () => {
    const source = kernel('whole', { workgroupSize: [1], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) } }, ({ x, y }, k) => {
      y.at(0).set((k.let('all', x) as never as typeof x).at(0))
    })
    refuses(() => source.ir(), 'bad-type', /array<f32> cannot be read as a value[\s\S]*read its elements/)
    refuses(() => trial(({ k }) => k.let('all', k.workgroup('cells', d.arrayOf(d.atomic(d.u32), 4)) as never)).ir(), 'bad-type', 'cannot be read as a value')
    refuses(() => trial(({ k }) => k.var('v', d.atomic(d.u32))).ir(), 'bad-type', 'a variable cannot be of type atomic<u32>')
  })
})

void vec2u
await paritySuite('edges: syntax', syntax)
