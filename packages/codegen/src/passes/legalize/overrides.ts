import { type Expr, type Extent, type Kernel, type OverrideDecl, type Type, WeftError } from '@weft/dsl/ir'
import { splatConst } from '../nodes'
import { rewrite } from '../rewrite'

/** Overrides by their default values, wherever they stand. */
export function bakeOverrides(kernel: Kernel): Kernel {
  if (kernel.overrides.length === 0) return kernel
  const decls = new Map(kernel.overrides.map((o) => [o.name, o]))
  const value = (name: string): number => {
    const decl = decls.get(name) as OverrideDecl
    if (decl.default === null) {
      throw new WeftError({
        code: 'profile-unsupported',
        message: `override '${name}' has no default, and this profile has no overrides`,
        note: 'give it a default, or make a kernel of each value with a function of it',
      })
    }
    return decl.default
  }
  const extent = (x: Extent): Extent => (typeof x === 'number' ? x : value(x.override))
  const type = (t: Type): Type => {
    if (typeof t === 'string' || t.kind !== 'array') return t
    return {
      ...t,
      of: type(t.of),
      count: t.count === null || typeof t.count === 'number' ? t.count : value(t.count.override),
    }
  }
  const [x, y, z] = kernel.workgroupSize
  const baked = rewrite(kernel, [(e: Expr) => (e.kind === 'override' ? splatConst(e.type, value(e.name)) : e)], false)
  return {
    ...baked,
    overrides: [],
    workgroupSize: [extent(x), extent(y), extent(z)],
    variables: baked.variables.map((v) => ({ ...v, type: type(v.type) })),
  }
}
