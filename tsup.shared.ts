import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Options } from 'tsup'
import { packages, sourceOf } from './scripts/packages.mjs'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** The source that a relative import names. */
function sourceAt(from: string, specifier: string): string {
  const base = join(dirname(from), specifier)
  const paths = base.endsWith('.js') ? [base.replace(/\.js$/, '.ts')] : [`${base}.ts`, join(base, 'index.ts')]
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${from} imports '${specifier}', which is no file`)
  return found
}

/** The list of generated data of a family, which is one file with it: bundlers drop data that nobody names, and Node loads fewer files. */
const isData = (path: string): boolean => /\/generated\/[^/]+\/index\.ts$/.test(path)

/** JSON becomes a part of the module that imports it. */
const isJson = (specifier: string): boolean => specifier.endsWith('.json')

/** All modules that an entry reaches, itself included. A module that is named for its types alone becomes an empty file. */
function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  if (isData(path)) return seen
  const specifiers = readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)
  for (const [, specifier = ''] of specifiers) if (!isJson(specifier)) reachedFrom(sourceAt(path, specifier), seen)
  return seen
}

/** Leaves each of the modules in a file of its own, and lets imports name these files. */
function modulesApart(outputs: ReadonlyMap<string, string>): Plugin {
  const fileOf = (path: string): string => `${outputs.get(path)}.js`
  return {
    name: 'modules-apart',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) => {
        if (kind === 'entry-point' || isData(importer) || isJson(path)) return undefined
        const to = relative(dirname(fileOf(importer)), fileOf(sourceAt(importer, path)))
        return { path: to.startsWith('.') ? to : `./${to}`, external: true, sideEffects: false }
      })
    },
  }
}

/**
 * What the packages' builds have in common: ESM with declarations, one file per entry point of `scripts/packages.mjs`,
 * every dependency left external. The CLI is an entry without declarations of its own.
 *
 * With `apart`, a file for every module, and for the generated data of a family: of a package that has much, and of which an app takes
 * little, bundlers drop whole modules that nobody imports; of one large file they keep every statement that might do something.
 */
export function build(configUrl: string, { apart = false } = {}) {
  const folder = fileURLToPath(new URL('.', configUrl))
  const pkg = packages.find((candidate) => folder.endsWith(`${candidate.folder}/`))
  if (!pkg) throw new Error(`scripts/packages.mjs does not list ${folder}`)
  const entry = Object.fromEntries(pkg.entries.map((item) => [item.output, sourceOf(pkg, item)]))
  const cli = `${folder}src/cli/main.ts`
  const modules = new Map<string, string>()
  if (apart) {
    for (const source of Object.values(entry))
      for (const path of reachedFrom(source))
        modules.set(
          path,
          relative(folder, path)
            .replace(/^src\//, '')
            .replace(/\.ts$/, ''),
        )
    for (const [output, source] of Object.entries(entry)) modules.set(source, output)
  }
  const files = apart ? Object.fromEntries([...modules].map(([path, output]) => [output, path])) : entry
  return defineConfig({
    entry: existsSync(cli) ? { ...files, cli } : files,
    esbuildPlugins: apart ? [modulesApart(modules)] : [],
    format: ['esm'],
    target: 'es2022',
    platform: 'neutral',
    tsconfig: '../../tsconfig.build.json',
    // tsup passes `baseUrl` to TypeScript, which 6.0 calls deprecated
    dts: { entry, compilerOptions: { ignoreDeprecations: '6.0' } },
    clean: true,
    // modules apart are as readable as their sources, and data mostly
    sourcemap: !apart,
    treeshake: !apart,
    external: [/^node:/, /^@weft\//, /^typegpu(\/|$)/, 'ts-morph', 'esbuild', 'naga-wasm', 'webgpu'],
  })
}
