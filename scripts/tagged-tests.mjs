// Runs the tests whose titles carry a tag like `[edge-07 emits]`, and says which tags passed. A tag counts when at
// least one of its tests ran and passed and none failed; a skipped test proves nothing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './packages.mjs'

/**
 * @param {RegExp} tag with the id as its first group, and its kind, if any, as its second
 * @returns {Map<string, { passed: number, failed: number, skipped: number, kinds: Set<string> }>} by id
 */
export function runTagged(tag) {
  const folder = mkdtempSync(join(tmpdir(), 'weft-tagged-'))
  const report = join(folder, 'report.json')
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = ['run', '-t', tag.source, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
    // stdout stays free for the result; the run's progress is shown on stderr
    const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return { status, tags: collect(testResults, tag) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function collect(files, tag) {
  const tags = new Map()
  for (const { fullName, status } of files.flatMap((file) => file.assertionResults)) {
    for (const [, id, kind] of fullName.matchAll(new RegExp(tag.source, 'g'))) {
      const entry = tags.get(id) ?? { passed: 0, failed: 0, skipped: 0, kinds: new Set() }
      tags.set(id, entry)
      entry[status === 'passed' || status === 'failed' ? status : 'skipped'] += 1
      if (kind !== undefined && status === 'passed') entry.kinds.add(kind)
    }
  }
  return tags
}

/** Splits `ids` into those that are covered and those that are not, with the reason. */
export function coverage(ids, tags) {
  const covered = ids.filter((id) => (tags.get(id)?.passed ?? 0) > 0 && tags.get(id).failed === 0)
  const missing = ids
    .filter((id) => !covered.includes(id))
    .map((id) => {
      const entry = tags.get(id)
      if (entry === undefined) return `${id}: no test`
      return entry.failed > 0 ? `${id}: ${entry.failed} of its tests failed` : `${id}: all of its tests were skipped`
    })
  return { covered, missing }
}
