import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { KernelSource } from '@weft/dsl/ir'
import type { Plugin } from 'esbuild'
import { CommandError, type Io, UsageError } from '../command'
import { isWeftError } from '../errors'
import { type Loaded, loadModules, shortPath } from './bundle'

/** A kernel with the place that exports it. */
export interface FoundKernel {
  readonly source: KernelSource
  /** Absolute. */
  readonly file: string
  readonly exportName: string
  readonly module: Loaded
}

/** By its form: the author's module may have loaded another copy of weft than this one. */
const isKernel = (value: unknown): value is KernelSource => {
  if (typeof value !== 'object' || value === null) return false
  const { name, variants, ir, positions } = value as Partial<KernelSource>
  return (
    typeof name === 'string' && Array.isArray(variants) && typeof ir === 'function' && typeof positions === 'function'
  )
}

/** A kernel, or those in a list, as a factory gives that makes many at once. */
const kernelsIn = (value: unknown): KernelSource[] =>
  isKernel(value) ? [value] : Array.isArray(value) ? value.filter(isKernel) : []

/** The kernels that files export, one by one or in lists. A kernel that several of them export is the one of the first place, in path order. */
export async function kernelsOf(files: readonly string[], io: Io): Promise<FoundKernel[]> {
  const modules = await load(files, io.plugins)
  const found = new Map<KernelSource, FoundKernel>()
  modules.forEach((module, i) => {
    for (const [exportName, value] of Object.entries(module)) {
      for (const source of kernelsIn(value)) {
        if (!found.has(source)) found.set(source, { source, file: files[i] ?? '', exportName, module })
      }
    }
  })
  return [...found.values()].sort((a, b) => (a.source.name < b.source.name ? -1 : 1))
}

/** Without the frames of Node, which loads the module. */
const stackOf = ({ stack, message }: Error): string =>
  (stack ?? message)
    .split('\n')
    .filter((line) => !/^ +at .*\(?node:/.test(line))
    .join('\n')

/** What an author's module throws is the author's: it goes out as it is when weft's, else with its own stack. */
export async function load(files: readonly string[], plugins?: readonly Plugin[]): Promise<Loaded[]> {
  try {
    return await loadModules(files, plugins)
  } catch (error) {
    if (error instanceof CommandError || isWeftError(error)) throw error
    throw new CommandError('not-loaded', error instanceof Error ? stackOf(error) : String(error))
  }
}

/** `KERNEL` of a command line: `path/to/file.ts#export`, or `path/to/file.ts` when it exports one kernel. */
export async function kernelAt(spec: string | undefined, io: Io): Promise<FoundKernel> {
  if (spec === undefined || spec.startsWith('-')) {
    throw new UsageError('the first argument is a kernel: path/to/file.ts#export, or path/to/file.ts')
  }
  const [path = '', wanted] = spec.split('#')
  const file = resolve(io.cwd, path)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`there is no file '${path}'`)
  const kernels = await kernelsOf([file], io)
  const listed = kernels.map(({ exportName }) => `${path}#${exportName}`).join(', ') || 'none'
  const chosen = kernels.find((k) => k.exportName === wanted) ?? kernels.find((k) => k.source.name === wanted)
  if (chosen) return chosen
  const [only, ...others] = kernels
  if (wanted === undefined && only && others.length === 0) return only
  if (wanted === undefined && only) throw new UsageError(`'${path}' exports several kernels: ${listed}`)
  throw new CommandError(
    'no-kernel',
    `${shortPath(io.cwd, file)} exports no kernel${wanted === undefined ? '' : ` '${wanted}'`}`,
    `its kernels: ${listed}`,
  )
}
