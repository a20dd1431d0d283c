/**
 * How many parity cases ran on which executor, suite by suite, and how many modules which compiler validated. A full run
 * states them, so that a case that was skipped without a word is seen.
 *
 * Each vitest worker counts in memory and writes one JSON file per test file (`tests/setup.ts` does, after all its
 * tests) into the folder named by `WEFT_COUNTS_DIR`; the reporter adds the files up.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a suite counts: runs of its cases, each variant of a kernel for itself. The title is that of the table's column. */
export const caseColumns = {
  interpreter: 'interpreter',
  dawn: 'Dawn',
  wgpu: 'wgpu',
  'wgpu-f16': 'of these f16',
} as const

/** What is counted of modules. */
export const moduleCounters = {
  tint: 'modules validated by Tint',
  naga: 'modules validated by naga, unmodified',
  'naga-without-subgroups': 'modules validated by naga without their `enable subgroups;` line',
  'tint-only': 'modules that only Tint can validate',
} as const

export type CaseCounts = Record<keyof typeof caseColumns, number>
export type ModuleCounts = Record<keyof typeof moduleCounters, number>

export interface Counts {
  /** By the title of the suite: a family of the library's kernels, a part of the language, a list of faults. */
  readonly cases: Record<string, CaseCounts>
  readonly modules: ModuleCounts
}

const zeros = <K extends string>(names: Readonly<Record<K, string>>): Record<K, number> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, 0])) as Record<K, number>

export const noCounts = (): Counts => ({ cases: {}, modules: zeros(moduleCounters) })

// one tally per process, also when two module graphs load this file
const store = globalThis as { weftCounts?: Counts }
const tally = (): Counts => (store.weftCounts ??= noCounts())

const suiteOf = (counts: Counts, suite: string): CaseCounts => (counts.cases[suite] ??= zeros(caseColumns))

/** Counts one parity case of a suite that ran (not: was skipped) on an executor. */
export function countCase(
  suite: string,
  executor: 'interpreter' | 'dawn' | 'wgpu',
  options: { f16?: boolean } = {},
): void {
  const counts = suiteOf(tally(), suite)
  counts[executor] += 1
  if (executor === 'wgpu' && options.f16) counts['wgpu-f16'] += 1
}

/** Counts one module that a compiler validated. */
export function countModule(by: keyof ModuleCounts): void {
  tally().modules[by] += 1
}

function add<K extends string>(to: Record<K, number>, more: Readonly<Record<K, number>>): void {
  for (const key of Object.keys(to) as K[]) to[key] += more[key] ?? 0
}

/** Writes what was counted since the last call; without `WEFT_COUNTS_DIR` nobody asks for it. */
export function writeCounts(folder = process.env.WEFT_COUNTS_DIR): void {
  const counts = tally()
  delete store.weftCounts
  const nothing = Object.keys(counts.cases).length === 0 && Object.values(counts.modules).every((n) => n === 0)
  if (folder === undefined || nothing) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(counts))
}

/** The sum of all files that workers wrote into `folder`. */
export function readCounts(folder: string): Counts {
  const sum = noCounts()
  for (const name of readdirSync(folder)) {
    const { cases, modules } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Counts
    for (const [suite, counts] of Object.entries(cases)) add(suiteOf(sum, suite), counts)
    add(sum.modules, modules)
  }
  return sum
}

/** The lines that a run ends with: a table of the cases with a row for each suite and their sum, and the modules. */
export function countLines({ cases, modules }: Counts): string[] {
  const suites = Object.keys(cases).sort()
  const columns = Object.keys(caseColumns) as (keyof CaseCounts)[]
  const all = zeros(caseColumns)
  for (const suite of suites) add(all, cases[suite] as CaseCounts)
  const first = Math.max(...['parity cases that ran', ...suites].map((title) => title.length))
  const line = (title: string, cells: readonly (string | number)[]): string =>
    [title.padEnd(first), ...cells.map((cell) => String(cell).padStart(13))].join('')
  const row = (title: string, counts: CaseCounts): string =>
    line(
      title,
      columns.map((column) => counts[column]),
    )
  const table = [
    line('parity cases that ran', Object.values(caseColumns)),
    ...suites.map((suite) => row(suite, cases[suite] as CaseCounts)),
    row('all', all),
  ]
  const validated = Object.entries(moduleCounters).map(
    ([key, title]) => `${String(modules[key as keyof ModuleCounts]).padStart(7)} ${title}`,
  )
  return [...(suites.length > 0 ? [...table, ''] : []), ...validated]
}
