import { evaluateHost as dslEvaluate, type HostExpr } from '@weft/dsl/ir'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateHost } from './host'
import { fold, planLaunch } from './launch'
import { failure } from './testing/expect'
import { linear, param } from './testing/fixtures'

const MAX = 65535
const scope = (params: Record<string, number>) => ({
  param: (n: string) => params[n] ?? 0,
  override: () => 8,
  length: () => 3,
})
const plan = (n: number, max = MAX) => planLaunch('k', linear(param('n')), undefined, scope({ n }), max)

describe('fold', () => {
  it('[edge-74] [prior-R15] keeps one dimension up to the limit and is near-square above', () => {
    expect(fold('k', 0, MAX)).toEqual([0, 1, 1])
    expect(fold('k', 65535, MAX)).toEqual([65535, 1, 1])
    expect(fold('k', 65536, MAX)).toEqual([256, 256, 1])
    expect(fold('k', 65537, MAX)).toEqual([257, 256, 1])
    const [x, y, z] = fold('k', MAX * MAX + 1, MAX)
    expect(z).toBe(2)
    expect(x * y * z).toBeGreaterThan(MAX * MAX)
    expect(x * y * z).toBeLessThan(2 ** 32)
  })

  it('covers every count with less than a row to spare and never leaves the limits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 60, max: 70_000 }), (n, max) => {
        const [x, y, z] = fold('k', n, max)
        return Math.max(x, y, z) <= max && x * y * z >= n && x * y * z - n < x * z
      }),
    )
  })

  it('leaves alone the rule of a kernel that looks at dimensions', async () => {
    const rule = { ...linear(param('n')), folds: false }
    expect(planLaunch('k', rule, undefined, scope({ n: MAX }), MAX)).toEqual([MAX, 1, 1])
    await failure('bad-workgroups', () => planLaunch('k', rule, undefined, scope({ n: MAX + 1 }), MAX))
  })

  it('refuses counts that are no list', async () => {
    await failure('bad-workgroups', () => planLaunch('k', null, 'a' as never, scope({}), MAX))
  })

  it('refuses what no box holds, or what a u32 cannot number', async () => {
    await failure('bad-workgroups', () => fold('k', 1001, 10))
    await failure('bad-workgroups', () => fold('k', 2 ** 32, MAX))
    const e = await failure('bad-workgroups', () => fold('k', 2 ** 33, MAX))
    expect(e.message).toBe(
      "bad-workgroups: 'k': 8,589,934,592 workgroups are more than one launch can have (4,294,967,296)",
    )
  })
})

describe('planLaunch', () => {
  it('evaluates the rule', () => {
    expect(plan(5)).toEqual([5, 1, 1])
    expect(plan(0)).toEqual([0, 1, 1])
    const rule = linear(
      { kind: 'ceilDiv', a: param('n'), b: { kind: 'override', name: 'T' } },
      { kind: 'length', binding: 'x' },
    )
    expect(planLaunch('k', rule, undefined, scope({ n: 17 }), MAX)).toEqual([3, 3, 1])
  })

  it('refuses more than the limit in rules of two and three dimensions', async () => {
    const e = await failure('bad-workgroups', () => planLaunch('k', linear(1, 65536), undefined, scope({}), MAX))
    expect(e.message).toContain('65,536 workgroups in y, and the device allows 65,535')
    await failure('bad-workgroups', () => planLaunch('k', linear(1, 1, 70000), undefined, scope({}), MAX))
  })

  it('takes given counts as they are, and only whole ones', async () => {
    expect(planLaunch('k', null, 7, scope({}), MAX)).toEqual([7, 1, 1])
    expect(planLaunch('k', null, [1, 2, 3], scope({}), MAX)).toEqual([1, 2, 3])
    for (const bad of [1.7, -1, Number.NaN, Infinity, 65536, [], [1, 1, 1, 1]]) {
      await failure('bad-workgroups', () => planLaunch('k', null, bad, scope({}), MAX))
    }
    await failure('bad-workgroups', () => planLaunch('k', null, undefined, scope({}), MAX))
    await failure('bad-workgroups', () =>
      planLaunch('k', linear({ kind: 'sub', a: 1, b: 2 }), undefined, scope({}), MAX),
    )
  })
})

it("evaluates rules as the compiler's own evaluation does", () => {
  const op = fc.constantFrom('add', 'sub', 'mul', 'div', 'ceilDiv', 'min', 'max')
  const { rule } = fc.letrec<{ rule: HostExpr }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 4 },
      fc.nat(1000),
      fc.record({ kind: fc.constant('param' as const), name: fc.constantFrom('n', 'm') }),
      fc.record({ kind: fc.constant('override' as const), name: fc.constant('T') }),
      fc.record({ kind: fc.constant('length' as const), binding: fc.constant('x') }),
      fc.record({ kind: op, a: tie('rule'), b: tie('rule') }) as fc.Arbitrary<HostExpr>,
    ),
  }))
  const values = scope({ n: 12, m: 5 })
  fc.assert(fc.property(rule, (e) => Object.is(evaluateHost(e, values), dslEvaluate(e, values))))
})
