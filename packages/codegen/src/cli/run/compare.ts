import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CompiledKernel } from '../../artifact'
import { CommandError, type Io, UsageError } from '../command'
import { type Loaded, loadModules } from '../load/bundle'

type Numbers = ArrayLike<number>

/** What a reference gets: each binding as its numbers (its lanes in order), and params by name. */
export type ReferenceInputs = Readonly<Record<string, unknown>>

/** The expected numbers of the written bindings; of a kernel that writes one, those alone will do. */
export type ReferenceOutputs = Numbers | Readonly<Record<string, Numbers>>

type RunReference = (inputs: ReferenceInputs) => ReferenceOutputs

/** An entry of `references` may also be the function alone. */
export interface Reference {
  readonly run: RunReference
  readonly tolerance?: number
}

export interface Comparison {
  readonly output: string
  readonly against: string
  readonly maxError: number
  /** The largest error over the largest finite magnitude of what was expected. */
  readonly relative: number
  readonly index: number
  readonly tolerance: number
  readonly ok: boolean
}

/** Of f32 results that were accumulated in another order than the reference's. */
export const TOLERANCE = 1e-4

/** The function that `--reference FILE#EXPORT` names. */
export async function referenceAt(spec: string, io: Io): Promise<Reference> {
  const [path = '', name = ''] = spec.split('#')
  const file = resolve(io.cwd, path)
  if (!existsSync(file)) throw new UsageError(`--reference: there is no file '${path}'`)
  const [module] = await loadModules([file], io.plugins)
  const found = module?.[name]
  if (typeof found === 'function') return { run: found as RunReference }
  const functions = Object.entries(module ?? {}).flatMap(([key, value]) =>
    typeof value === 'function' ? [`${path}#${key}`] : [],
  )
  throw new UsageError(
    `--reference is '${spec}', expected one of ${functions.join(', ') || 'its functions, of which there are none'}`,
  )
}

/** By convention a module exports `references`, by the names of kernels or of their exports. */
export function referenceOf(module: Loaded, kernel: string, exportName: string): Reference | null {
  if (typeof module.references !== 'object' || module.references === null) return null
  const references = module.references as Readonly<Record<string, unknown>>
  const found = references[kernel] ?? references[exportName]
  if (found === undefined) return null
  if (typeof found === 'function') return { run: found as RunReference }
  if (typeof found === 'object' && typeof (found as Partial<Reference> | null)?.run === 'function')
    return found as Reference
  throw new CommandError('bad-reference', `references.${kernel} is neither a function nor { run, tolerance }`)
}

const isNumbers = (value: ReferenceOutputs): value is Numbers => typeof (value as Numbers).length === 'number'

/** The reference's outputs by name. */
export function outputsByName(kernel: CompiledKernel, outputs: ReferenceOutputs): Readonly<Record<string, Numbers>> {
  const written = kernel.bindings.filter(({ access }) => access !== 'read').map(({ name }) => name)
  if (!isNumbers(outputs)) return outputs
  const [only, ...others] = written
  if (only !== undefined && others.length === 0) return { [only]: outputs }
  throw new CommandError(
    'bad-reference',
    `'${kernel.name}' writes ${written.join(', ')}: its reference gives one list`,
    'give an object by their names',
  )
}

/** NaN agrees with NaN, an infinity with itself. */
function difference(actual: number, expected: number): number {
  if (Object.is(actual, expected) || actual === expected) return 0
  const distance = Math.abs(actual - expected)
  return Number.isNaN(distance) ? Infinity : distance
}

export function compare(
  output: string,
  against: string,
  actual: Numbers,
  expected: Numbers,
  tolerance: number,
): Comparison {
  if (actual.length < expected.length) {
    throw new CommandError(
      'bad-reference',
      `'${output}' has ${actual.length} numbers, ${against} gives ${expected.length}`,
    )
  }
  let [maxError, index, scale] = [0, -1, 0]
  for (let i = 0; i < expected.length; i++) {
    const want = expected[i] ?? 0
    const error = difference(actual[i] ?? 0, want)
    if (error > maxError) [maxError, index] = [error, i]
    if (Number.isFinite(want)) scale = Math.max(scale, Math.abs(want))
  }
  const relative = maxError / (scale || 1)
  return { output, against, maxError, relative, index, tolerance, ok: relative <= tolerance }
}
