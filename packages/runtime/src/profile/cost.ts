import type { CompiledKernel } from '@weft/codegen'
import type { ObservedDispatch } from '../observer'
import type { Signature } from '../signature'
import { unpack } from '../unpack'

/** What one dispatch moves and computes, by the author's count. */
export interface Work {
  /** Bytes that have to be read and written. */
  readonly bytes?: number
  /** Floating-point operations; a multiply-add counts as two. */
  readonly operations?: number
}

/** What was bound: elements (1 where the binding is no array), and bytes. */
export interface Extent {
  readonly length: number
  readonly bytes: number
}

type ParamOf<T extends string> = T extends 'bool'
  ? boolean
  : T extends 'f32' | 'f16' | 'i32' | 'u32'
    ? number
    : readonly number[]

type ArgumentsOf<S extends Signature> = { readonly [P in keyof S['params']]: ParamOf<S['params'][P]> } & {
  readonly [B in keyof S['bindings']]: Extent
}

/** Params by name as values, bindings by name as extents. Of a kernel of unknown signature every name is taken for both. */
export type CostArguments<K> = K extends { readonly $?: infer S }
  ? [Exclude<S, undefined>] extends [Signature]
    ? ArgumentsOf<Exclude<S, undefined>>
    : Readonly<Record<string, number & Extent>>
  : Readonly<Record<string, number & Extent>>

/** What the dispatches of one kernel cost. Made by `cost`. */
export interface KernelCost {
  readonly kernel: string
  of(args: Readonly<Record<string, unknown>>): Work
}

/**
 * Says how much work a dispatch of a kernel is, from its params and bindings:
 * `cost(saxpy, ({ n }) => ({ bytes: 12 * n, operations: 2 * n }))`.
 */
export const cost = <K extends CompiledKernel>(kernel: K, of: (args: CostArguments<K>) => Work): KernelCost => ({
  kernel: kernel.name,
  of: of as KernelCost['of'],
})

export function workOf(costs: ReadonlyMap<string, KernelCost>, { kernel, params, bindings }: ObservedDispatch): Work {
  const found = costs.get(kernel.name)
  if (!found) return {}
  const args: Record<string, unknown> = unpack(kernel.params, params)
  for (const { name, element } of kernel.bindings) {
    const bound = bindings.get(name)
    if (!bound || 'texture' in bound) continue
    args[name] = { length: element ? Math.floor(bound.size / element.stride) : 1, bytes: bound.size } satisfies Extent
  }
  return found.of(args)
}
