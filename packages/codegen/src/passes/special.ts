import { type Kernel, scalarOf, type Type, VALUE_NAMES } from '@weft/dsl/ir'

/** What needs a feature or a declaration: half precision, structs, subgroups, … Most kernels have nothing of it. */

/** Value types that need a feature. */
export const HALVES: ReadonlySet<Type> = new Set(VALUE_NAMES.filter((name) => scalarOf(name) === 'f16'))

/** Whether a declaration of a type needs a feature or other declarations. */
export const isSpecial = (type: Type): boolean =>
  typeof type === 'string' ? HALVES.has(type) : type.kind === 'array' ? isSpecial(type.of) : type.kind !== 'atomic'

/** Whether anything outside the bodies of a kernel does. */
export function declaresSpecial(kernel: Kernel): boolean {
  const { bindings, params, constants, variables, overrides, functions } = kernel
  return (
    kernel.subgroupSize !== null ||
    [bindings, params, constants, variables, overrides].some((list) => list.some((d) => isSpecial(d.type))) ||
    functions.some((f) => f.params.some((p) => isSpecial(p.type)) || (f.result !== null && isSpecial(f.result)))
  )
}
