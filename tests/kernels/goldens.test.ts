import type { KernelSource } from '@weft/dsl/ir'
import * as source from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { maxError } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'
import { Desk, outside } from './goldens/check.js'
import { checks, notYet } from './goldens/index.js'
import { type Golden, noGoldens, readGoldens } from './goldens/read.js'

const why = noGoldens()
const goldens = readGoldens()
const named = new Map<string, Golden[]>()
for (const golden of goldens) named.set(golden.op, [...(named.get(golden.op) ?? []), golden])

const isKernel = (value: unknown): value is KernelSource =>
  typeof value === 'object' && value !== null && 'ir' in value && 'name' in value
const sources = Object.values(source).flatMap((value) =>
  isKernel(value) ? [value] : typeof value === 'object' ? Object.values(value).filter(isKernel) : [],
)

describe.skipIf(why !== undefined)(`goldens of PyTorch${why ? ` (${why})` : ''}`, () => {
  it('what has no reference yet is listed, and nothing else', () => {
    const missing = goldens.flatMap((golden) => {
      const compared = (checks[golden.op] ?? []).flatMap(({ reference }) => Object.keys(reference?.(golden) ?? {}))
      return golden.results.flatMap((name) => (compared.includes(name) ? [] : [`${golden.op}.${name}`]))
    })
    expect([...new Set(missing)].sort()).toEqual([...notYet].sort())
    expect(goldens.length).toBeGreaterThan(100)
  })

  describe('the float64 references', () => {
    it.each([...named].filter(([op]) => checks[op]))('%s', (op, list) => {
      for (const golden of list) {
        for (const { reference } of checks[op] ?? []) {
          for (const [name, actual] of Object.entries(reference?.(golden) ?? {})) {
            // both are float64: what differs is the order of sums; inputs are of order 1, so a sum that cancels is 1e-16 or so
            const { abs, relative } = maxError(actual, golden.result(name))
            expect(Math.min(relative, abs * 100), `${golden.name}: ${name}`).toBeLessThan(1e-10)
          }
        }
      }
    })
  })

  onDevices('host functions', sources, ({ runtime, options }) => {
    for (const type of ['f32', 'f16'] as const) {
      for (const [op, all] of named) {
        const list = all.filter((golden) => golden.type === type)
        if (list.length === 0 || !checks[op]) continue
        it(`${op}, ${type}`, async (context) => {
          if (type === 'f16' && !runtime().info.features.includes('shader-f16')) context.skip('there is no shader-f16')
          for (const golden of list) await compareHost(golden, new Desk(runtime(), options, golden))
        })
      }
    }
  })
})

async function compareHost(golden: Golden, desk: Desk): Promise<void> {
  for (const { host, bounds, always = [] } of checks[golden.op] ?? []) {
    const results = (await host?.(golden, desk)) ?? {}
    for (const [name, actual] of Object.entries(results)) {
      const bound = bounds?.(golden)[name]
      expect(bound, `${golden.name} has no bound for ${name}`).toBeDefined()
      const half = golden.type === 'f16' && !always.includes(name)
      expect(outside(name, actual, golden.result(name), bound ?? 0, half), golden.name).toBeUndefined()
    }
  }
}
