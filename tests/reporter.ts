import { mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'
import { countLines, readCounts } from './engines/counts.js'

/** A run of few tests by name skips all others; nobody reads thousands of lines. */
const SHOWN = 50

/**
 * Prints, after vitest's own report, the tests that were skipped by name, a table of the parity cases that ran, suite by suite and
 * engine by engine, and as its last line `N passed, N failed, N skipped`. A file that does not load and an error outside of any test count as failed.
 *
 * With `WEFT_TOTALS` set, the numbers are also written to that file as JSON.
 */
export default class TotalsReporter implements Reporter {
  private folder: string | undefined

  onInit(): void {
    this.folder = mkdtempSync(join(tmpdir(), 'weft-counts-'))
    process.env.WEFT_COUNTS_DIR = this.folder
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const totals = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    const skipped = new Map<string, number>()
    for (const module of modules) {
      // errors of a file (it does not load) or of a suite (its hook failed) belong to no test
      if (module.state() === 'failed') totals.failed += module.errors().length
      for (const suite of module.children.allSuites()) totals.failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') totals.passed++
        else if (state === 'failed') totals.failed++
        else {
          totals.skipped++
          const name = `${module.relativeModuleId} > ${test.parent.type === 'suite' ? test.parent.fullName : test.name}`
          skipped.set(name, (skipped.get(name) ?? 0) + 1)
        }
      }
    }
    const lines = [...skipped].slice(0, SHOWN).map(([name, n]) => `skipped: ${name}${n > 1 ? ` (${n} tests)` : ''}`)
    if (skipped.size > SHOWN) lines.push(`skipped: ${skipped.size - SHOWN} more suites and tests`)
    const counts = this.folder === undefined ? undefined : readCounts(this.folder)
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true })
    if (counts) lines.push(...countLines(counts))
    const last = `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`
    // at exit, since vitest's own reporter is still printing the failures
    process.once('exit', () => writeSync(1, `${[...lines, '', last].join('\n')}\n`))
    if (process.env.WEFT_TOTALS) writeFileSync(process.env.WEFT_TOTALS, JSON.stringify({ ...totals, counts }))
  }
}
