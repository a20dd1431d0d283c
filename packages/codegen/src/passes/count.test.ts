import { ceilDiv, d, f32, type HostNumber, input, kernel, output, override, u32 } from '@weft/dsl'
import { type Const, type Expr, evaluate, evaluateHost, type HostExpr, type Kernel } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { compile } from '../index'
import { explain } from '../tools'
import { countExpr } from './count'
import { constOf, splatConst } from './nodes'

type Sizes = Readonly<Record<'a' | 'b' | 'c' | 's' | 't' | 'size' | 'free', HostNumber>> & {
  readonly x: { readonly length: HostNumber }
}
type Rule = (sizes: Sizes) => HostNumber

/** Counts workgroups, and tests none of them: folded, it needs a guard. */
const counted = (rule: Rule) =>
  kernel(
    'counted',
    {
      workgroupSize: ['size'],
      bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) },
      params: { a: d.u32, b: d.u32, c: d.u32, s: d.i32, t: d.i32, scale: d.f32 },
      overrides: { size: override(u32, 64), free: override(u32, 64), ratio: override(f32, 1) },
      workgroups: (sizes) => [rule(sizes as never)],
      guards: 'off',
    },
    ({ y }, k) => y.at(k.workgroupIndex).set(k.workgroupIndex),
  )

function countOf(rule: Rule): { readonly kernel: Kernel; readonly host: HostExpr; readonly count: Expr | null } {
  const ir = counted(rule).ir()
  const host = ir.launch?.workgroups[0] as HostExpr
  return { kernel: ir, host, count: countExpr(host, ir) }
}

/** In integers without bounds, rounded as the host rounds; null where it divides by zero, and refuses. */
function exact(e: HostExpr, values: Readonly<Record<string, number>>): bigint | null {
  if (typeof e === 'number') return BigInt(e)
  if (!('a' in e)) return BigInt(values[e.kind === 'length' ? e.binding : e.name] as number)
  const [a, b] = [exact(e.a, values), exact(e.b, values)]
  if (a === null || b === null) return null
  if (e.kind === 'add') return a + b
  if (e.kind === 'sub') return a - b
  if (e.kind === 'mul') return a * b
  if (e.kind === 'min') return a < b ? a : b
  if (e.kind === 'max') return a > b ? a : b
  if (b === 0n) return null
  const floor = a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n)
  return e.kind === 'ceilDiv' && a % b !== 0n ? floor + 1n : floor
}

const WRAP = { u32: (x: number) => x >>> 0, i32: (x: number) => x | 0 }

function evaluated(e: Expr, values: Readonly<Record<string, number>>): Const {
  switch (e.kind) {
    case 'const':
      return e
    case 'param':
    case 'override':
      return splatConst(e.type as 'u32', values[e.name] as number)
    case 'length':
      return splatConst('u32', values['name' in e.of.root ? e.of.root.name : ''] as number)
    case 'convert':
      return splatConst(e.type, WRAP[e.type as 'u32'](evaluated(e.arg, values).lanes[0] as number))
    case 'op':
      return constOf(
        e.type,
        evaluate(
          e.op,
          e.type,
          e.args.map((arg) => evaluated(arg, values)),
        ),
      )
    default:
      throw new Error(e.kind)
  }
}

const UNSIGNED = [0, 1, 2, 63, 64, 65, 255, 256, 65535, 65536, 65537, 2 ** 31, 2 ** 32 - 256, 2 ** 32 - 65, 2 ** 32 - 1]
const SIGNED = [0, 1, -1, 63, 64, -64, -65, 1000, 2 ** 31 - 1, -(2 ** 31)]

/** The values of what a rule asks for: all, of each. */
function* scopes(e: HostExpr, names = [...namesOf(e)]): Generator<Record<string, number>> {
  const [first, ...rest] = names
  if (first === undefined) return yield {}
  const values = first === 's' || first === 't' ? SIGNED : first === 'size' ? [1, 48, 64, 1024] : UNSIGNED
  for (const others of scopes(e, rest)) for (const value of values) yield { ...others, [first]: value }
}

function namesOf(e: HostExpr, into = new Set<string>()): Set<string> {
  if (typeof e === 'number') return into
  if ('a' in e) for (const part of [e.a, e.b]) namesOf(part, into)
  else into.add(e.kind === 'length' ? e.binding : e.name)
  return into
}

const COUNTED: readonly (readonly [string, Rule])[] = [
  ['a', ({ a }) => a],
  ['a length', ({ x }) => ceilDiv(x.length, 64)],
  ['⌈a / 64⌉', ({ a }) => ceilDiv(a, 64)],
  ['⌈a / 2³⁰⌉', ({ a }) => ceilDiv(a, 1 << 30)],
  ['⌈a / b⌉', ({ a, b }) => ceilDiv(a, b)],
  ['⌈a / size⌉', ({ a, size }) => ceilDiv(a, size)],
  ['⌊a / 7⌋', ({ a }) => a.div(7)],
  ['a · b · c', ({ a, b, c }) => a.mul(b).mul(c)],
  ['⌈a / 64⌉ · ⌈b / 48⌉ · c', ({ a, b, c }) => ceilDiv(a, 64).mul(ceilDiv(b, 48)).mul(c)],
  ['⌈a · b / 256⌉', ({ a, b }) => ceilDiv(a.mul(b), 256)],
  ['⌈a · b · c / 256⌉', ({ a, b, c }) => ceilDiv(a.mul(b).mul(c), 256)],
  ['⌊a · b / 65536⌋', ({ a, b }) => a.mul(b).div(65536)],
  ['⌈a · b / size⌉', ({ a, b, size }) => ceilDiv(a.mul(b), size)],
  ['⌈⌈a / 4⌉ · b / 256⌉', ({ a, b }) => ceilDiv(ceilDiv(a, 4).mul(b), 256)],
  ['⌈⌈a / 4⌉ / 64⌉', ({ a }) => ceilDiv(ceilDiv(a, 4), 64)],
  ['⌈(a + 1) / 256⌉', ({ a }) => ceilDiv(a.add(1), 256)],
  ['⌈(a + b + c) / 2³⁰⌉', ({ a, b, c }) => ceilDiv(a.add(b).add(c), 1 << 30)],
  ['⌈(a · b − c) / 100⌉ + c', ({ a, b, c }) => ceilDiv(a.mul(b).sub(c), 100).add(c)],
  ['⌊(a − b) / 3⌋ · 3 + b', ({ a, b }) => a.sub(b).div(3).mul(3).add(b)],
  ['a − b + c', ({ a, b, c }) => a.sub(b).add(c)],
  ['min(⌈a / 64⌉, 1024) · max(b, 1)', ({ a, b }) => ceilDiv(a, 64).min(1024).mul(b.max(1))],
  ['⌈s / 64⌉ · ⌈t / 64⌉', ({ s, t }) => ceilDiv(s, 64).mul(ceilDiv(t, 64))],
  ['⌊s · t / 64⌋ + a', ({ s, t, a }) => s.mul(t).div(64).add(a)],
]

describe('the count of the kernel is that of the host, for all that can be launched', () => {
  test.each(COUNTED)('%s', (_, rule) => {
    const { host, count } = countOf(rule)
    expect(count).not.toBeNull()
    let launches = 0
    for (const values of scopes(host)) {
      const wanted = exact(host, values)
      if (wanted === null || wanted < 0n || wanted >= 2n ** 32n) continue
      expect(BigInt(evaluated(count as Expr, values).lanes[0] as number), JSON.stringify(values)).toBe(wanted)
      launches++
    }
    expect(launches).toBeGreaterThan(3)
  })

  test('which is what the host computes in doubles, where these are exact', () => {
    for (const [says, rule] of COUNTED) {
      const { host } = countOf(rule)
      const values: Record<string, number> = { a: 70_000, b: 300, c: 5, s: 1000, t: 77, size: 64, x: 12_345 }
      const lookup = (name: string) => values[name] as number
      expect(evaluateHost(host, { param: lookup, override: lookup, length: lookup }), says).toBe(
        Number(exact(host, values)),
      )
    }
  })
})

const NOT_COUNTED: readonly (readonly [string, Rule])[] = [
  ['a product over more than 2¹⁶', ({ a, b }) => ceilDiv(a.mul(b), 1 << 20)],
  ['a product over a param', ({ a, b, c }) => ceilDiv(a.mul(b), c)],
  ['a product over an override that is no size of the workgroup', ({ a, b, free }) => ceilDiv(a.mul(b), free)],
  ['a product under a minimum', ({ a, b }) => a.mul(b).min(100_000)],
  ['a difference under a maximum', ({ a }) => a.sub(1).max(0)],
  ['what may be infinite under a minimum', ({ a, b }) => a.div(b).min(100_000)],
  ['a divisor that may be infinite', ({ a, b, c }) => ceilDiv(a, b.div(c))],
  ['a float', (sizes) => (sizes as unknown as Record<'scale', HostNumber>).scale],
]

describe('where the kernel cannot tell, the launch is not folded', () => {
  test.each(NOT_COUNTED)('%s', (_, rule) => {
    expect(countOf(rule).count).toBeNull()
    const { launch, variants } = compile(counted(rule))
    expect(launch).toMatchObject({ folds: false })
    expect(variants[0]?.wgsl).not.toContain('return')
    expect(explain(counted(rule))).toContain('not folded: u32 cannot follow the launch rule')
  })
})

test('one that can be told is folded, and reads as one would write it', () => {
  const wgsl = (rule: Rule) => {
    const { launch, variants } = compile(counted(rule))
    expect(launch).toMatchObject({ folds: true })
    return variants[0]?.wgsl.match(/if \(workgroup_index >= (.*)\) \{/)?.[1]
  }
  expect(wgsl(({ a, b }) => a.mul(b))).toBe('params.a * params.b')
  expect(wgsl(({ a }) => ceilDiv(a, 64))).toBe('params.a / 64u + u32(params.a % 64u != 0u)')
  expect(wgsl(({ a }) => ceilDiv(a.div(4), 64))).toBe('(params.a / 4u + 63u) / 64u')
})
