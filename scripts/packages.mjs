// The packages in build order (each depends on those before it), and the source file of each entry point.
// One list for the build, the size budget, the tests' aliases and the import rules, so that they cannot disagree.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * @typedef {{ subpath: string, output: string, sources: string[] }} Entry
 *   `output` is the name under dist/; the first of `sources` that exists is the entry
 * @typedef {{ name: string, folder: string, entries: Entry[] }} Package
 */

/** @type {Package[]} */
export const packages = [
  {
    name: '@weft/dsl',
    folder: 'packages/dsl',
    entries: [
      { subpath: '.', output: 'index', sources: ['src/index.ts'] },
      { subpath: './ir', output: 'ir', sources: ['src/compiler.ts'] },
    ],
  },
  {
    name: '@weft/codegen',
    folder: 'packages/codegen',
    entries: [
      { subpath: '.', output: 'index', sources: ['src/index.ts'] },
      { subpath: './interp', output: 'interp', sources: ['src/interp/index.ts', 'src/interp.ts'] },
      { subpath: './tools', output: 'tools', sources: ['src/tools.ts'] },
    ],
  },
  {
    name: '@weft/runtime',
    folder: 'packages/runtime',
    entries: [
      { subpath: '.', output: 'index', sources: ['src/index.ts'] },
      { subpath: './node', output: 'node', sources: ['src/node/index.ts', 'src/node.ts'] },
      { subpath: './typegpu', output: 'typegpu', sources: ['src/typegpu/index.ts'] },
      { subpath: './profile', output: 'profile', sources: ['src/profile/index.ts'] },
      { subpath: './trace', output: 'trace', sources: ['src/trace/index.ts'] },
    ],
  },
  {
    name: '@weft/kernels',
    folder: 'packages/kernels',
    entries: [
      { subpath: '.', output: 'index', sources: ['src/index.ts'] },
      { subpath: './source', output: 'source', sources: ['src/source/index.ts', 'src/source.ts'] },
    ],
  },
]

/** @param {Package} pkg @param {Entry} entry @returns {string} the absolute path of the entry's source */
export function sourceOf(pkg, entry) {
  const paths = entry.sources.map((source) => join(root, pkg.folder, source))
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? ''
}

/** Import specifier → source file, the longest specifier first, as an alias list wants it. */
export function sourceAliases() {
  return packages
    .flatMap((pkg) =>
      pkg.entries.map((entry) => ({ find: pkg.name + entry.subpath.slice(1), path: sourceOf(pkg, entry) })),
    )
    .sort((a, b) => b.find.length - a.find.length)
}

/** Whether every package has the sources of all its entries. */
export const complete = () => packages.every((pkg) => pkg.entries.every((entry) => existsSync(sourceOf(pkg, entry))))
