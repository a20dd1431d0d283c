#!/usr/bin/env node
// Runs a TypeScript file of this repository without building the packages first:
//
//   node scripts/run-ts.mjs path/to/file.ts arguments…
//
// Node 20 cannot load `.ts`, so the entry is bundled with esbuild into node_modules/.cache, with the workspace
// packages taken from their sources and everything else left to Node. The bundle runs in this process: its exit code,
// its standard streams and its `process.argv` are those of a script that was started directly.

import { existsSync, rmSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const CACHE = join(ROOT, 'node_modules/.cache/run-ts')

/** Import specifier → the source file that stands for it, most specific first. */
const WORKSPACE = {
  '@weft/codegen/interp': 'packages/codegen/src/interp/index.ts',
  '@weft/codegen/tools': 'packages/codegen/src/tools.ts',
  '@weft/runtime/node': 'packages/runtime/src/node/index.ts',
  '@weft/runtime/typegpu': 'packages/runtime/src/typegpu/index.ts',
  '@weft/runtime/profile': 'packages/runtime/src/profile/index.ts',
  '@weft/runtime/trace': 'packages/runtime/src/trace/index.ts',
  '@weft/kernels/source': 'packages/kernels/src/source.ts',
  '@weft/dsl/ir': 'packages/dsl/src/compiler.ts',
  '@weft/dsl': 'packages/dsl/src/index.ts',
  '@weft/codegen': 'packages/codegen/src/index.ts',
  '@weft/runtime': 'packages/runtime/src/index.ts',
  '@weft/kernels': 'packages/kernels/src/index.ts',
}

/** `a/index.ts` and `a.ts` name the same module: whichever exists. */
function sourceFile(path) {
  const other = path.endsWith('/index.ts') ? path.replace(/\/index\.ts$/, '.ts') : path.replace(/\.ts$/, '/index.ts')
  return [path, other].map((candidate) => join(ROOT, candidate)).find((candidate) => existsSync(candidate))
}

/** esbuild plugin: workspace packages from source, installed packages external unless `bundled`, relative imports bundled. */
const resolver = ({ bundled = false } = {}) => ({
  name: 'weft-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      const source = WORKSPACE[path]
      if (source === undefined) return bundled ? undefined : { path, external: true }
      const file = sourceFile(source)
      return file === undefined ? { errors: [{ text: `${path} has no source yet: ${source}` }] } : { path: file }
    })
  },
})

/** Gives each bundled module the `import.meta.url` and `import.meta.dirname` of its own source file. */
const ownUrl = {
  name: 'own-import-meta',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      return { contents, loader: 'ts', resolveDir: dirname(path) }
    })
  },
}

/** For other bundles that are to see this repository's sources: `scripts/gen.mjs`. */
export const sourcePlugins = [resolver(), ownUrl]

/** For bundles that stand alone: installed packages go into them, too, other than those that esbuild is told to leave. */
export const standalonePlugins = [resolver({ bundled: true }), ownUrl]

/**
 * Bundles `entry` and returns the path of the bundle. `plugins` run before the resolver: `bench/typegpu` needs its own
 * compiler plugin there.
 */
export async function bundle(entry, { plugins = [] } = {}) {
  await mkdir(CACHE, { recursive: true })
  const name = relative(ROOT, resolve(entry)).replace(/[^A-Za-z0-9]+/g, '-')
  const outfile = join(CACHE, `${name}.${process.pid}.mjs`)
  await build({
    entryPoints: [resolve(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [...plugins, ...sourcePlugins],
  })
  return outfile
}

/** Bundles `entry` and runs it in this process. */
export async function run(entry, options) {
  const outfile = await bundle(entry, options).catch(() => process.exit(1)) // esbuild has printed the errors
  process.on('exit', () => rmSync(outfile, { force: true })) // scripts that hold a device end with process.exit
  process.setSourceMapsEnabled?.(true)
  await import(pathToFileURL(outfile).href)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry, ...args] = process.argv.slice(2)
  if (entry === undefined || !existsSync(entry)) {
    console.error(entry === undefined ? 'usage: node scripts/run-ts.mjs FILE.ts [ARGS…]' : `no such file: ${entry}`)
    process.exit(2)
  }
  process.argv = [process.argv[0], resolve(entry), ...args]
  await run(entry)
}
