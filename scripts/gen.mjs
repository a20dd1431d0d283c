// `npm run gen [-- --check]`: writes the WGSL, the TypeScript modules and the manifest of the library's kernels into
// packages/kernels/generated, and blesses the golden files of all tests. With `--check` it changes nothing and exits
// with 1, with a diff, where the generated files are stale (golden files are checked by their tests).
//
// It is `weft gen`, run from the sources of the compiler and of the DSL, so that it needs no build: a change of the
// compiler shows as a diff of the generated files at once.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.mjs'
import { weft } from './weft.mjs'

const SKIPPED = new Set(['node_modules', 'dist', 'generated', '.git'])

/** The test files that compare with golden files. */
function goldenTests(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name)
    if (item.isDirectory()) return SKIPPED.has(item.name) ? [] : goldenTests(path)
    return item.name.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('toMatchFileSnapshot(') ? [path] : []
  })
}

function bless() {
  const tests = ['packages', 'tests'].flatMap((name) => goldenTests(join(root, name)))
  if (tests.length === 0) return 0
  console.log(`golden files of ${tests.length} test file${tests.length === 1 ? '' : 's'}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  return spawnSync(process.execPath, [vitest, 'run', '--update', ...tests], { cwd: root, stdio: 'inherit' }).status ?? 1
}

const args = process.argv.slice(2)
const kernels = ['packages/kernels/src/source.ts', '--out', 'packages/kernels/generated']
const code = await weft(['gen', ...kernels, ...args], root)
process.exitCode = code !== 0 || args.includes('--check') ? code : bless()
