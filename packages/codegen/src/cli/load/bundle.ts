import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Metafile, Plugin } from 'esbuild'
import { CommandError } from '../command'
import { textOf } from '../errors'

/** The exports of a module that was loaded. */
export type Loaded = Readonly<Record<string, unknown>>

let bundles = 0

/**
 * Where bundles go: below the nearest `node_modules`, so that what they leave external is found from there as from the
 * author's file. The real path, since Node resolves source maps against it.
 */
function cacheFolder(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules')
    if (existsSync(modules)) return join(realpathSync(modules), '.cache/weft')
    if (folder === dirname(folder)) return join(realpathSync(tmpdir()), 'weft')
  }
}

/**
 * Loads TypeScript modules: Node 20 cannot, so esbuild bundles them with what they import relatively, in one build, so
 * that a module that two of them import is one. Packages stay external. Inline source maps, switched on for the
 * process, give errors and kernels the positions of the author's own lines.
 */
export async function loadModules(files: readonly string[], plugins: readonly Plugin[] = []): Promise<Loaded[]> {
  const [first] = files
  if (first === undefined) return []
  const folder = join(cacheFolder(first), `${process.pid}-${bundles++}`)
  mkdirSync(folder, { recursive: true })
  try {
    const { outputs, inputs } = await bundle(files, folder, plugins)
    process.setSourceMapsEnabled(true)
    const loaded: Loaded[] = []
    for (const file of files) {
      const output = outputs.get(file)
      if (output === undefined) throw new Error(`esbuild gave nothing for ${file}`)
      loaded.push(
        (await import(/* @vite-ignore */ pathToFileURL(output).href).catch((error: unknown) => {
          throw notFound(error, inputs, folder)
        })) as Loaded,
      )
    }
    return loaded
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Bundled {
  /** By the author's file. */
  readonly outputs: ReadonlyMap<string, string>
  /** What each file imports, by its path from the folder. */
  readonly inputs: Metafile['inputs']
}

/** Bundles into `folder` and gives the output of each file. */
async function bundle(files: readonly string[], folder: string, plugins: readonly Plugin[]): Promise<Bundled> {
  // loaded here, so that what bundles nothing does not wait for it
  const { build } = await import('esbuild')
  const result = await build({
    entryPoints: Object.fromEntries(files.map((file, i) => [`module${i}`, file])),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    metafile: true,
    // nothing is gained by leaving code out, and a package that is wrong about its side effects would break
    ignoreAnnotations: true,
    logLevel: 'silent',
    ...(plugins.length > 0 ? { plugins: [...plugins] } : { packages: 'external' as const, plugins: [installed] }),
  }).catch((error: unknown) => {
    throw new CommandError('not-loaded', buildErrors(error, folder))
  })
  const outputs = new Map<string, string>()
  for (const [path, { entryPoint }] of Object.entries(result.metafile.outputs)) {
    if (entryPoint !== undefined) outputs.set(resolve(folder, entryPoint), resolve(folder, path))
  }
  return { outputs, inputs: result.metafile.inputs }
}

/** Weft is the weft that is installed, also where a tsconfig.json maps its names to sources: kernels of two would not mix. */
const installed: Plugin = {
  name: 'weft-installed',
  setup({ onResolve }) {
    onResolve({ filter: /^@weft\// }, ({ path }) => ({ path, external: true }))
  },
}

/** Where a package is missing, or does not have what is asked of it: the author's line that imports it. */
function notFound(error: unknown, inputs: Metafile['inputs'], folder: string): unknown {
  const { code = '', message } = error as { readonly code?: string; readonly message: string }
  if (!/^ERR_(MODULE_NOT_FOUND|PACKAGE_PATH_NOT_EXPORTED|UNSUPPORTED_DIR_IMPORT)$/.test(code)) return error
  for (const [path, { imports }] of Object.entries(inputs)) {
    const missing = imports.find(({ external, path: name }) => {
      const [scope = '', rest = ''] = name.split('/')
      return external && message.includes(`'${scope.startsWith('@') ? `${scope}/${rest}` : scope}'`)
    })
    if (missing) {
      const file = resolve(folder, path)
      const line = readFileSync(file, 'utf8')
        .split('\n')
        .findIndex((text) => /['"]/.test(text) && text.includes(missing.path))
      return new CommandError(
        'not-loaded',
        `the package of '${missing.path}' is not installed, or does not export it\n  at ${file}:${line + 1}`,
        'npm install it where this file is',
      )
    }
  }
  return new CommandError('not-loaded', message)
}

interface BuildMessage {
  readonly text: string
  readonly location: { readonly file: string; readonly line: number; readonly column: number } | null
}

/** esbuild names files relative to the folder that it works in, which is hidden and gone. */
function buildErrors(error: unknown, folder: string): string {
  const { errors } = error as { errors?: readonly BuildMessage[] }
  if (!errors?.length) return textOf(error)
  return errors
    .map(({ text, location }) =>
      location ? `${text}\n  at ${resolve(folder, location.file)}:${location.line}:${location.column + 1}` : text,
    )
    .join('\n')
}

/** A path for people and for generated text: relative to `folder`, with forward slashes. */
export const shortPath = (folder: string, path: string): string => relative(folder, path).replaceAll('\\', '/') || '.'
