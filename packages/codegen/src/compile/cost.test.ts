import { ceilDiv, d, inout, input, kernel } from '@weft/dsl'
import { expect, it } from 'vitest'
import { compile } from './compile'

const without = compile(
  kernel(
    'saxpy',
    {
      workgroupSize: [64],
      bindings: { x: input(d.arrayOf(d.f32)), y: inout(d.arrayOf(d.f32)) },
      params: { n: d.u32, alpha: d.f32 },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
    },
    ({ x, y, n, alpha }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => y.at(i).addAssign(alpha.mul(x.at(i))))
    },
  ),
)

const declaring = compile(
  kernel(
    'saxpy',
    {
      workgroupSize: [64],
      bindings: { x: input(d.arrayOf(d.f32)), y: inout(d.arrayOf(d.f32)) },
      params: { n: d.u32, alpha: d.f32 },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
      cost: ({ n, x }) => ({ bytes: n.mul(12), operations: x.length.mul(2) }),
    },
    ({ x, y, n, alpha }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => y.at(i).addAssign(alpha.mul(x.at(i))))
    },
  ),
)

it('an artifact has the cost that its kernel declares, as data', () => {
  expect(declaring.cost).toEqual({
    bytes: { kind: 'mul', a: { kind: 'param', name: 'n' }, b: 12 },
    operations: { kind: 'mul', a: { kind: 'length', binding: 'x' }, b: 2 },
  })
  expect(JSON.parse(JSON.stringify(declaring)).cost).toEqual(declaring.cost)
})

it('a cost changes nothing that reaches a device', () => {
  expect('cost' in without).toBe(false)
  expect(declaring.hash).toBe(without.hash)
  expect(declaring.ir).toEqual(without.ir)
})
