import * as d from 'typegpu/data'
import { describe, expect, it } from 'vitest'
import { evaluateHost } from '../ir'
import { input, output, override, uniform } from './declarations'
import { ceilDiv, type HostArg, type HostNumber } from './host'
import { kernel } from './kernel'

type Length = { readonly length: HostNumber }
type View = Readonly<Record<'n' | 'm' | 'tile', HostNumber>> & Readonly<Record<'x' | 's' | 'y', Length>>
type Rule = (n: View) => { readonly bytes?: HostArg; readonly operations?: HostArg }

const withCost = (cost?: Rule) =>
  kernel(
    'k',
    {
      workgroupSize: [64],
      bindings: { x: input(d.arrayOf(d.f32)), s: uniform(d.vec4f), y: output(d.arrayOf(d.f32)) },
      params: { n: d.u32, m: d.u32 },
      overrides: { tile: override(d.u32, 8) },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
      ...(cost && { cost }),
    },
    ({ x, s, y, n }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => y.at(i).set(x.at(i).add(s.x)))
    },
  )

const scope = {
  param: (name: string) => ({ n: 1000, m: 7 })[name] ?? NaN,
  override: () => 8,
  length: () => 500,
}

describe('cost', () => {
  it('is a rule over params, overrides and lengths', () => {
    const { cost } = withCost(({ n, m, tile, x }) => ({
      bytes: n.mul(4).add(x.length.mul(4)),
      operations: ceilDiv(n.mul(m), tile),
    }))
    expect(evaluateHost(cost?.bytes as never, scope)).toBe(6000)
    expect(evaluateHost(cost?.operations as never, scope)).toBe(875)
  })

  it('may give one of the two, or a number', () => {
    expect(withCost(() => ({ bytes: 64 })).cost).toEqual({ bytes: 64, operations: null })
    expect(withCost(({ n }) => ({ operations: n })).cost).toEqual({
      bytes: null,
      operations: { kind: 'param', name: 'n' },
    })
    expect(withCost().cost).toBe(null)
  })

  it('is no part of the IR', () => {
    expect(withCost(() => ({ bytes: 64 })).ir()).toEqual(withCost().ir())
  })

  it.each<[string, Rule]>([
    ['the cost gives 12', () => 12 as never],
    ['the cost gives an object (flops)', () => ({ flops: 1 }) as never],
    ['the bytes of the cost are 0.5', () => ({ bytes: 0.5 })],
    ['the operations of the cost are -1', () => ({ operations: -1 })],
    ["the cost asks for the length of 's', which is not an array binding", ({ s }) => ({ bytes: s.length.mul(4) })],
  ])('is refused where %s', (text, rule) => {
    expect(() => withCost(rule).cost).toThrow(`bad-argument: ${text}`)
  })

  it('knows no operators of JavaScript', () => {
    expect(() => withCost(({ n }) => ({ bytes: Number(n) * 4 })).cost).toThrow(
      'js-operator: a JavaScript operator is applied to a number of the launch rule or of the cost',
    )
  })
})
