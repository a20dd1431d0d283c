// Builds the packages in dependency order with tsup; a package whose sources are unchanged is skipped.
//
//   node scripts/build.mjs [--force] [PACKAGE]
//
// With a package (`@weft/dsl`), only that one and what it depends on.
//
// "Unchanged" is a hash over everything that the output depends on: the package's sources and configuration, the
// shared configuration, and the hashes of the packages built before it (their declarations go into its own).

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, root, sourceOf } from './packages.mjs'

const cache = join(root, 'node_modules/.cache/weft/build')
const shared = [
  'tsup.shared.ts',
  'tsconfig.base.json',
  'tsconfig.build.json',
  'package-lock.json',
  'scripts/packages.mjs',
]

/** Every file below `folder`, in an order that does not depend on the file system. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((item) => (item.isDirectory() ? filesBelow(join(folder, item.name)) : [join(folder, item.name)]))
}

function hashOf(folder, previous) {
  const sources = ['src', 'generated', 'tuned']
    .map((name) => join(root, folder, name))
    .filter((path) => existsSync(path))
  const own = [...sources.flatMap(filesBelow), join(root, folder, 'package.json'), join(root, folder, 'tsup.config.ts')]
  const hash = createHash('sha256').update(previous)
  for (const file of [...shared.map((name) => join(root, name)), ...own]) {
    if (existsSync(file)) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

const outputs = (pkg) => pkg.entries.flatMap(({ output }) => [`${output}.js`, `${output}.d.ts`])
const built = (pkg) => outputs(pkg).every((name) => existsSync(join(root, pkg.folder, 'dist', name)))

function buildPackage(pkg, hash, force) {
  const stamp = join(cache, `${pkg.folder.replace('/', '-')}.hash`)
  if (!force && built(pkg) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return 'unchanged'
  const missing = pkg.entries.map((entry) => sourceOf(pkg, entry)).filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`${pkg.name}: no such entry point: ${missing.join(', ')}`)
  rmSync(stamp, { force: true })
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
  const run = spawnSync(process.execPath, [tsup, '--silent'], { cwd: join(root, pkg.folder), encoding: 'utf8' })
  if (run.status !== 0 || !built(pkg)) throw new Error(`${pkg.name}: tsup failed\n${run.stdout}${run.stderr}`)
  writeFileSync(stamp, hash)
  return 'built'
}

/** Two builds at once (two test files, say) take turns: the second then finds everything unchanged. */
function withLock(body) {
  const lock = join(cache, 'lock')
  mkdirSync(cache, { recursive: true })
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch {
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      // left behind by a build that was killed; a living one is done in well under two minutes
      if (age > 120_000) rmSync(lock, { recursive: true, force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
  try {
    body()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

try {
  withLock(() => {
    const force = process.argv.includes('--force')
    const wanted = process.argv.slice(2).find((arg) => !arg.startsWith('--'))
    const last = wanted === undefined ? packages.length - 1 : packages.findIndex(({ name }) => name === wanted)
    if (last < 0) throw new Error(`there is no package ${wanted}`)
    let hash = ''
    for (const pkg of packages.slice(0, last + 1)) {
      const start = performance.now()
      hash = hashOf(pkg.folder, hash)
      const what = buildPackage(pkg, hash, force)
      console.log(
        `${pkg.name.padEnd(14)} ${what}${what === 'built' ? ` in ${((performance.now() - start) / 1000).toFixed(1)} s` : ''}`,
      )
    }
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
