import type { CompiledKernel, CostRule } from '@weft/codegen'
import { evaluateHost, type HostScope } from '../host'
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

/** By what the profiler was told, else by what the kernel declares. */
export function workOf(costs: ReadonlyMap<string, KernelCost>, dispatch: ObservedDispatch): Work {
  const { kernel, params, bindings, overrides } = dispatch
  const told = costs.get(kernel.name)
  if (!told && !kernel.cost) return {}
  const values = unpack(kernel.params, params)
  const extents: Record<string, Extent> = {}
  for (const { name, element } of kernel.bindings) {
    const bound = bindings.get(name)
    if (!bound || 'texture' in bound) continue
    extents[name] = { length: element ? Math.floor(bound.size / element.stride) : 1, bytes: bound.size }
  }
  if (told) return told.of({ ...values, ...extents })
  return declared(kernel.cost as CostRule, {
    param: (name) => Number(values[name]),
    override: (name) => overrides[name] ?? 0,
    length: (name) => extents[name]?.length ?? 0,
  })
}

function declared({ bytes, operations }: CostRule, scope: HostScope): Work {
  return {
    ...(bytes !== null && { bytes: evaluateHost(bytes, scope) }),
    ...(operations !== null && { operations: evaluateHost(operations, scope) }),
  }
}
