import type { CompiledKernel } from '@weft/codegen'
import type { OverrideValues } from './backend'
import { fault, quoted } from './errors'
import { scalarOf } from './params'

const NONE: OverrideValues = Object.freeze({})

/** The value of every override: given, else its default. Throws `bad-override`. */
export function overrideValues(
  kernel: CompiledKernel,
  given: Readonly<Record<string, number | boolean>> | undefined,
): OverrideValues {
  const { name: kernelName, overrides } = kernel
  const names = new Set(overrides.map(({ name }) => name))
  for (const name of Object.keys(given ?? {})) {
    if (names.has(name)) continue
    throw fault('bad-override', `'${kernelName}' has no override '${name}'`, `its overrides are ${quoted(names)}`)
  }
  if (overrides.length === 0) return NONE
  return Object.fromEntries(
    overrides.map(({ name, type, default: fallback }) => {
      const what = `'${kernelName}': the override '${name}'`
      const value = given?.[name] ?? fallback
      if (value === null) throw fault('bad-override', `${what} (${type}) has no default and is missing`)
      return [name, scalarOf(value, type, what, 'bad-override')]
    }),
  )
}

/** The same by the keys that the pipeline takes. */
export const constantsOf = (kernel: CompiledKernel, values: OverrideValues): Record<string, number> =>
  Object.fromEntries(kernel.overrides.map(({ name, key }) => [key, values[name] ?? 0]))
