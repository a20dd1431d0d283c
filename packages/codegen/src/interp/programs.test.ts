import type { Kernel } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { interpret } from './index'
import { INVOCATIONS, inLockstep, program, random } from './testing/programs'
import { words } from './testing/run'

function outputOf(kernel: Kernel, subgroupSize: number): number[] {
  const y = words(INVOCATIONS * 8)
  interpret(kernel, { bindings: { y: new Uint8Array(y.buffer) }, workgroups: [1], subgroupSize })
  return [...y]
}

/** Programs of each test: on a busy machine one takes a second. */
const MANY = 10

describe('random programs compute the same one invocation after the other and in lockstep under masks', () => {
  let active = 0
  test.each([0, 1, 2, 3, 4, 5])('ten of them, the %s. time', (times) => {
    for (let seed = times * MANY + 1; seed <= (times + 1) * MANY; seed++) {
      const kernel = program(seed).ir()
      const expected = outputOf(kernel, 4)
      const rnd = random(seed)
      const all = inLockstep(kernel, () => true)
      expect(outputOf(all, 4), `seed ${seed}`).toEqual(expected)
      const some = inLockstep(kernel, () => rnd(4) === 0)
      expect(outputOf(some, 8), `seed ${seed}, some`).toEqual(expected)
      if (new Set(expected).size > 8) active++
    }
  })

  test('and most of them have much to do', () => {
    expect(active).toBeGreaterThan(3 * MANY)
  })
})
