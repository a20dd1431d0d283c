import type { Kernel } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { interpret } from './index'
import { INVOCATIONS, inLockstep, program, random } from './testing/programs'
import { words } from './testing/run'

function outputOf(kernel: Kernel, subgroupSize: number): number[] {
  const y = words(INVOCATIONS * 8)
  interpret(kernel, { bindings: { y: new Uint8Array(y.buffer) }, workgroups: [1], subgroupSize })
  return [...y]
}

const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1)

test('random programs compute the same one invocation after the other and in lockstep under masks', () => {
  let active = 0
  for (const seed of SEEDS) {
    const kernel = program(seed).ir()
    const expected = outputOf(kernel, 4)
    const rnd = random(seed)
    expect(
      outputOf(
        inLockstep(kernel, () => true),
        4,
      ),
      `seed ${seed}`,
    ).toEqual(expected)
    expect(
      outputOf(
        inLockstep(kernel, () => rnd(4) === 0),
        8,
      ),
      `seed ${seed}, some`,
    ).toEqual(expected)
    if (new Set(expected).size > 8) active++
  }
  expect(active).toBeGreaterThan(SEEDS.length / 2)
})
