// `npm run gen [-- --check] [FAMILY…]`: writes the WGSL, the TypeScript modules and the manifest of the library's kernels
// into packages/kernels/generated, a folder for each family (packages/kernels/src/*/source.ts), and blesses the golden
// files of all tests; only the named families, where some are named. With `--check` it changes nothing and exits with 1,
// with a diff, where the generated files are stale (golden files are checked by their tests).
//
// It is `weft gen`, run from the sources of the compiler and of the DSL, so that it needs no build: a change of the
// compiler shows as a diff of the generated files at once.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.mjs'
import { bundleCli, weft } from './weft.mjs'

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

/** The families of the library, which are the folders with a `source.ts`, or those that the command names. */
function familiesOf(named) {
  const sources = join(root, 'packages/kernels/src')
  const all = readdirSync(sources).filter((name) => existsSync(join(sources, name, 'source.ts')))
  const unknown = named.filter((name) => !all.includes(name))
  if (unknown.length === 0) return named.length > 0 ? named : all
  console.error(`no family ${unknown.join(', ')} in packages/kernels/src: there are ${all.join(', ')}`)
  process.exit(2)
}

/** The families whose modules run without a package, as examples of it; those of the others are artifacts alone, with
 * params in uniform buffers, which is what a replay has. */
const STANDALONE = new Set(['attention-flash', 'matmul-plain', 'norm', 'saxpy', 'scan', 'softmax'])

const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-'))
process.env.WEFT_CLI_BUNDLE ??= await bundleCli()
let code = 0
for (const family of familiesOf(named)) {
  const kernels = [`packages/kernels/src/${family}/source.ts`, '--out', `packages/kernels/generated/${family}`]
  const form = STANDALONE.has(family) ? [] : ['--artifact', '--params', 'uniform']
  code = Math.max(code, await weft(['gen', ...kernels, ...form, ...flags], root))
}
process.exitCode = code !== 0 || flags.includes('--check') || named.length > 0 ? code : bless()
