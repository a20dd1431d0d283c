import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kernelCoverage } from '../../scripts/kernel-coverage.mjs'
import { root } from '../../scripts/packages.mjs'
import { families } from './families.js'

/** What no kernel is there for, and may not be yet. */
const OPEN = /^(MoE |BitLinear|TQ2_0$|LoRA |TTT$|PLE$|speculative decode$)/

const all = await kernelCoverage()
const covered = all.filter(({ state }) => state === 'kernels')

describe('coverage of other systems', () => {
  it('names only what exists', () => {
    expect(all.filter(({ state }) => state === 'wrong').map(({ name, reason }) => `${name}: ${reason}`)).toEqual([])
    expect(all.filter(({ state, reason }) => state !== 'kernels' && !reason)).toEqual([])
  })

  it('leaves out mixtures of experts, ternary weights, adapters, test-time training and speculation, nothing else', () => {
    const open = all.filter(({ state }) => state === 'notYet')
    expect(open.map(({ name }) => name).filter((name) => !OPEN.test(name))).toEqual([])
    expect(open.every(({ reason }) => (reason ?? '').length > 30)).toBe(true)
  })

  it('names nothing twice', () => {
    const names = all.map(({ system, name }) => `${system}: ${name}`)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  it('names kernels that the parity cases run', () => {
    const run = new Set(
      Object.values(families)
        .flat()
        .map((c) => c.kernel.name),
    )
    expect(covered.flatMap(({ row }) => row.kernels ?? []).filter((name) => !run.has(name))).toEqual([])
  })

  it('names host functions that the named test calls', () => {
    const uncalled = covered.flatMap(({ row }) => {
      const text = readFileSync(join(root, row.test as string), 'utf8')
      return (row.functions ?? []).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
    })
    expect([...new Set(uncalled)]).toEqual([])
  })
})
