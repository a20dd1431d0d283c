import { type Expr, type Extent, type Kernel, type Type, WeftError } from '@weft/dsl/ir'
import { splatConst } from '../nodes'

/** Overrides by their default values, where a profile has none. */

function defaultOf(name: string, kernel: Kernel): number {
  const value = kernel.overrides.find((o) => o.name === name)?.default
  if (value !== null && value !== undefined) return value
  throw new WeftError({
    code: 'profile-unsupported',
    message: `override '${name}' has no default, and this profile has no overrides`,
    note: 'give it a default, or make a kernel of each value with a function of it',
  })
}

export const bakeOverride = (e: Expr, kernel: Kernel): Expr =>
  e.kind === 'override' ? splatConst(e.type, defaultOf(e.name, kernel)) : e

/** The declarations, in which overrides are sizes. */
export function bakeDeclarations(kernel: Kernel): Kernel {
  const extent = (x: Extent): number => (typeof x === 'number' ? x : defaultOf(x.override, kernel))
  const type = (t: Type): Type =>
    typeof t === 'string' || t.kind !== 'array' ? t : { ...t, of: type(t.of), count: t.count && extent(t.count) }
  const [x, y, z] = kernel.workgroupSize
  return {
    ...kernel,
    overrides: [],
    workgroupSize: [extent(x), extent(y), extent(z)],
    variables: kernel.variables.map((v) => ({ ...v, type: type(v.type) })),
  }
}
