import type { Runtime } from '@weft/runtime'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { DEVICES } from '../../edge-cases/devices.js'
import { execute } from './execute.js'
import { expected } from './model.js'
import { program } from './program.js'

/** Another one on each run; set to see a failure again. */
const seed = Number(process.env.WEFT_PROGRAM_SEED ?? Date.now() % 2 ** 31)
const PROGRAMS = 200

describe(`random programs, WEFT_PROGRAM_SEED=${seed}`, () => {
  const opened: Runtime[] = []
  afterAll(() => {
    for (const runtime of opened) runtime.destroy()
  })

  it.each(DEVICES.map(({ name, open }) => [name, open] as const))(
    `${PROGRAMS} of them on the %s: pooled, batched and unawaited they give what they give one step at a time, and on the host (seed ${seed})`,
    async (_, open) => {
      const runtime = await open()
      opened.push(runtime)
      let steps = 0
      // one runtime for all: its pool is full of what earlier programs left
      await fc.assert(
        fc.asyncProperty(program, async (made) => {
          steps += made.steps.length
          const right = expected(made)
          expect(await execute(runtime, made, 'eager'), 'eager').toEqual(right)
          expect(await execute(runtime, made, 'plain'), 'plain').toEqual(right)
        }),
        { seed, numRuns: PROGRAMS },
      )
      expect(steps).toBeGreaterThan(10 * PROGRAMS)
      expect(runtime.stats.buffers.live).toBe(0)
    },
    600_000,
  )
})
