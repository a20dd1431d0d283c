import { d, kernel, output, u32, vec3u } from '@weft/dsl'
import { validate } from '@weft/dsl/ir'
import { describe, expect, it } from 'vitest'
import { runPasses } from '../compile/pipeline'
import { PROFILES } from '../profiles'

const decl = {
  workgroupSize: [1],
  bindings: { out: output(d.arrayOf(d.u32)) },
  params: { x: d.u32 },
  workgroups: () => [1],
  guards: 'off',
} as const

describe('runtime-constants', () => {
  /** A divisor that is constant, with a 0 in it, only after `x ^ x` was simplified. */
  const late = kernel('late', decl, ({ out, x }, k) => {
    const y = k.let('y', x.add(1))
    out.at(0).set(vec3u(7, 0, 1).div(vec3u(0, 1, 2).bitXor(vec3u(y.bitXor(y)))).y)
  })

  it.each([{ validate: 'each' }, { without: ['fold'] }, { without: ['fold', 'simplify', 'cse'] }, {}] as const)(
    'leaves no constant expression without a value, with %j',
    (options) => {
      const final = runPasses(late.ir(), PROFILES.any, options)
      expect(validate({ ...final, guards: 'off' })).toEqual([])
    },
  )

  it('keeps what a division by a constant 0 means', () => {
    const zero = kernel('zero', decl, ({ out }) => out.at(0).set(u32(7).div(u32(3).bitXor(3))))
    expect(validate({ ...runPasses(zero.ir(), PROFILES.any, { without: ['fold'] }), guards: 'off' })).toEqual([])
  })
})
