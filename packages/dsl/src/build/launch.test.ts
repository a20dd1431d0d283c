import { describe, expect, it } from 'vitest'
import { type Builder, ceilDiv, d, type Expr, inout, kernel } from '../index'

const launched = (index: (k: Builder) => Expr<'u32'>, counts: 1 | 2 = 1) =>
  kernel(
    'k',
    {
      workgroupSize: [64],
      bindings: { x: inout(d.arrayOf(d.u32)) },
      params: { n: d.u32 },
      workgroups: ({ n }) => (counts === 1 ? [ceilDiv(n, 64)] : [ceilDiv(n, 64), 2]),
    },
    ({ x, n }, k) => {
      const i = k.let('i', index(k))
      k.if(i.lt(n), () => x.at(i).addAssign(1))
    },
  ).ir().launch

describe('launch rules', () => {
  it('fold where the body knows workgroups by their linear index only', () => {
    expect(launched((k) => k.globalIndex)?.folds).toBe(true)
    expect(launched((k) => k.workgroupIndex.mul(64).add(k.localIndex))?.folds).toBe(true)
    expect(launched((k) => k.localIndex)?.folds).toBe(true)
  })

  it('do not fold where the body looks at dimensions, or the rule has several', () => {
    expect(launched((k) => k.globalId.x)?.folds).toBe(false)
    expect(launched((k) => k.workgroupId.x.mul(64).add(k.localIndex))?.folds).toBe(false)
    expect(launched((k) => k.globalIndex.rem(k.numWorkgroups.x))?.folds).toBe(false)
    expect(launched((k) => k.globalIndex, 2)?.folds).toBe(false)
  })
})
