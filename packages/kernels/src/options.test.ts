import { describe, expect, it, vi } from 'vitest'
import { hostFunctions } from './testing/host-functions'
import { refusal, tablesOf } from './testing/tables'

/** Every host function that the package exports, by the table of its options. */

vi.mock('./host', async (original) => (await import('./testing/recorded')).recorded(await original()))

/** What each of the options may not be. One that is missing here is not tested. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  kernel: [null, 'matmul', 7, {}, { name: 'matmul', variants: [], ir: () => undefined }, () => undefined],
  kernels: [null, 'matmul', {}, new Map()],
  verify: [null, 'true', 1, {}],
  tuning: ['h200', 7, {}, { results: [] }, { find: 'matmul' }, []],
  bindingLimit: [null, '4096', 0, -4, 0.5, Number.NaN, Infinity, 4n],
  device: [
    null,
    'H200',
    7,
    {},
    { features: [], languageFeatures: [], subgroupMatrices: [], software: false, limits: 1 },
  ],
}

describe('every host function', () => {
  it.each(hostFunctions)('%s refuses what an option may not be, and takes one that is not given', async (name, run) => {
    const { options } = await tablesOf(name, run)
    expect(Object.keys(options)).toEqual(expect.arrayContaining(['kernels', 'verify']))
    for (const key of Object.keys(options)) {
      expect(WRONG).toHaveProperty(key)
      for (const wrong of WRONG[key] ?? []) {
        const { code, message } = await refusal(name, run, {}, { [key]: wrong })
        expect(`${code}, ${message}`).toMatch(
          new RegExp(`^bad-argument, bad-argument: options of ${name}: ${key} must be .*, got `),
        )
      }
      // what is refused then is that there are no arguments
      expect((await refusal(name, run, {}, { [key]: undefined })).message).toMatch(
        new RegExp(`^bad-argument: ${name}: \\w+ must be `),
      )
    }
  })

  it('which have all of these options among them', async () => {
    const known = new Set<string>()
    for (const [name, run] of hostFunctions)
      for (const key of Object.keys((await tablesOf(name, run)).options)) known.add(key)
    expect([...known].sort()).toEqual(Object.keys(WRONG).sort())
  })
})
