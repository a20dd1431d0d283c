/**
 * How many parity cases ran on which executor, and how many modules which compiler validated. A full run states them,
 * so that a case that was skipped without a word is seen.
 *
 * Each vitest worker counts in memory and writes one JSON file per test file (`tests/setup.ts` does, after all its
 * tests) into the folder named by `WEFT_COUNTS_DIR`; the reporter adds the files up.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const counters = {
  interpreter: 'parity cases on the interpreter',
  dawn: 'parity cases on Dawn (SwiftShader)',
  wgpu: 'parity cases on wgpu (lavapipe)',
  'wgpu-f16': '  of these with f16',
  tint: 'modules validated by Tint',
  naga: 'modules validated by naga, unmodified',
  'naga-without-subgroups': 'modules validated by naga without their `enable subgroups;` line',
  'tint-only': 'modules that only Tint can validate',
} as const

export type Counter = keyof typeof counters
export type Counts = Record<Counter, number>

export const noCounts = (): Counts => Object.fromEntries(Object.keys(counters).map((name) => [name, 0])) as Counts

// one tally per process, also when two module graphs load this file
const store = globalThis as { weftCounts?: Counts }
const tally = (): Counts => (store.weftCounts ??= noCounts())

/** Counts one parity case that ran (not: was skipped) on an executor. */
export function countCase(executor: 'interpreter' | 'dawn' | 'wgpu', options: { f16?: boolean } = {}): void {
  tally()[executor] += 1
  if (executor === 'wgpu' && options.f16) tally()['wgpu-f16'] += 1
}

/** Counts one module that a compiler validated. */
export function countModule(by: 'tint' | 'naga' | 'naga-without-subgroups' | 'tint-only'): void {
  tally()[by] += 1
}

/** Writes what was counted since the last call; without `WEFT_COUNTS_DIR` nobody asks for it. */
export function writeCounts(folder = process.env.WEFT_COUNTS_DIR): void {
  const counts = tally()
  store.weftCounts = noCounts()
  if (folder === undefined || Object.values(counts).every((n) => n === 0)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(counts))
}

/** The sum of all files that workers wrote into `folder`. */
export function readCounts(folder: string): Counts {
  const sum = noCounts()
  for (const name of readdirSync(folder)) {
    const counts = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Partial<Counts>
    for (const key of Object.keys(sum) as Counter[]) sum[key] += counts[key] ?? 0
  }
  return sum
}
