import { describe, expect, it } from 'vitest'
import { type Builder, bool, d, type Expr, f32, fn, func, inout, kernel, mat2x2f, u32, vec2f, vec2i } from '../index'
import { print } from '../ir'

interface View {
  readonly x: { at(i: unknown): { set(v: unknown): void } }
  readonly n: Expr<'u32'>
}

/** The printed body of a kernel. */
const built = (body: (view: View, k: Builder) => unknown): string =>
  print(
    kernel(
      'k',
      { workgroupSize: [8, 8], bindings: { x: inout(d.arrayOf(d.f32)) }, params: { n: d.u32 } },
      (view, k) => void body(view as never, k),
    ).ir(),
  )

describe('operands', () => {
  it('that are scalars are splatted in every slot that takes vectors', () => {
    expect(built(({ n }, k) => k.let('a', vec2i(1, 2).shl(n)))).toContain('vec2i(1, 2) << vec2u(n)')
    expect(built((_, k) => k.let('a', fn.ldexp(vec2f(1, 2), 3)))).toContain('ldexp(vec2f(1, 2), vec2i(3, 3))')
  })

  it('keep the sign of zero, and share the constants of small integers', () => {
    expect(built((_, k) => k.let({ a: f32(0), b: f32(-0) }))).toMatch(/a = 0:f32\n.*b = -0:f32/)
    const [one, other] = [1, 1].map(
      (x) => kernel('k', { workgroupSize: [1], bindings: {} }, (_, k) => void k.let('a', u32(x))).ir().body[0],
    )
    expect(
      one?.kind === 'let' && other?.kind === 'let' && one.value === other.value && Object.isFrozen(one.value),
    ).toBe(true)
  })

  it('of a matrix are columns or scalars, and no mixture', () => {
    const mixed = (k: Builder): unknown => k.let('a', mat2x2f(vec2f(1, 2), f32(3), f32(4)))
    expect(() => built((_, k) => mixed(k))).toThrow('no-overload: mat2x2f(vec2f, f32, f32) does not exist')
  })
})

describe('the builder', () => {
  it('knows the workgroup and the variant in functions, too', () => {
    const f = func('f(x)', [u32], (x, k) => x.add(k.workgroupSize).add(k.variant === 'portable' ? 1 : 2))
    expect(built(({ n }, k) => k.let('a', f(n)))).toContain('return (x + 64:u32) + 1:u32')
  })

  it('refuses surplus arguments of effects', () => {
    expect(() => built((_, k) => (k.workgroupBarrier as (x: number) => void)(1))).toThrow(
      'no-overload: workgroupBarrier takes 0 arguments, and was given 1',
    )
  })

  it('refuses constants of the module that are computed', () => {
    expect(() => built(({ n }, k) => k.const('c', u32, [1, n] as never))).toThrow('not-constant: ')
    expect(() => built((_, k) => k.const('c', u32, u32(1).add(2) as never))).toThrow(
      "not-constant: constant 'c' is given a value that is computed",
    )
  })

  it('fills the branches of a chain where they are written', () => {
    const chain = built(({ n, x }, k) => {
      const v = k.var('v', n)
      k.if(v.lt(1), () => x.at(0).set(1))
        .elseIf(v.lt(2), () => x.at(0).set(2))
        .elseIf(
          () => bool`${v} < 3`,
          () => x.at(0).set(3),
        )
        .else(() => x.at(0).set(4))
    })
    expect(chain.match(/load v|if |else|store x/g)).toEqual([
      'load v',
      'if ',
      'store x',
      'else',
      'load v',
      'if ',
      'store x',
      'else',
      'load v',
      'if ',
      'store x',
      'else',
      'store x',
    ])
  })
})
