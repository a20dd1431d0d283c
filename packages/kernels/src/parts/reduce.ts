import { type Builder, type Expr, fn, type Numeric, typeOf } from '@weft/dsl'

/** How two values become one, and the value that changes nothing. */
export interface Reduction {
  readonly combine: <T extends Numeric>(a: Expr<T>, b: Expr<T>) => Expr<T>
  readonly subgroup: <T extends Numeric>(k: Builder, value: Expr<T>) => Expr<T>
}

export const SUM: Reduction = { combine: (a, b) => a.add(b), subgroup: (k, value) => k.subgroupAdd(value) }
export const MAX: Reduction = { combine: (a, b) => fn.max(a, b), subgroup: (k, value) => k.subgroupMax(value) }
export const MIN: Reduction = { combine: (a, b) => fn.min(a, b), subgroup: (k, value) => k.subgroupMin(value) }

/** The variants of a kernel that calls `workgroupReduce`. */
export const REDUCE_VARIANTS = { subgroups: ['subgroups', 'subgroup-id'], portable: [] } as const

/** The least number of invocations that a subgroup may have (WGSL specification, `subgroup_size`). */
export const LEAST_SUBGROUP = 4

/**
 * `value` reduced over the workgroup, for every invocation. Call it in uniform control flow; the workgroup size must
 * be a power of two. `name` names the workgroup memory, `workgroupSize` values of it. `apart`: another barrier lies between this and
 * the next time that this is run, so that there need be none behind it.
 */
export function workgroupReduce<T extends Numeric>(
  k: Builder,
  name: string,
  value: Expr<T>,
  how: Reduction,
  { apart = false } = {},
): Expr<T> {
  return k.variant === 'subgroups' ? bySubgroups(k, name, value, how, apart) : byTree(k, name, value, how)
}

/** A tree in workgroup memory: log₂(workgroup size) steps with a barrier each. */
function byTree<T extends Numeric>(k: Builder, name: string, value: Expr<T>, { combine }: Reduction): Expr<T> {
  const partial = k.workgroup(name, typeOf(value), k.workgroupSize)
  const i = k.localIndex
  partial.at(i).set(value)
  k.workgroupBarrier()
  for (let half = k.workgroupSize / 2; half >= 1; half /= 2) {
    k.if(i.lt(half), () => partial.at(i).set(combine(partial.at(i), partial.at(i.add(half)))))
    k.workgroupBarrier()
  }
  return k.workgroupUniformLoad(partial.at(0))
}

/** One value of each subgroup, then all of those by everyone: two barriers at the most, whatever size the subgroups have. */
function bySubgroups<T extends Numeric>(
  k: Builder,
  name: string,
  value: Expr<T>,
  { combine, subgroup }: Reduction,
  apart: boolean,
): Expr<T> {
  const partial = k.workgroup(name, typeOf(value), k.workgroupSize / LEAST_SUBGROUP)
  const ofSubgroup = k.let(`${name}_subgroup`, subgroup(k, value))
  k.if(k.subgroupInvocationId.eq(0), () => partial.at(k.subgroupId).set(ofSubgroup))
  k.workgroupBarrier()
  const total = k.var(`${name}_total`, partial.at(0))
  k.range('s', 1, k.numSubgroups, (s) => total.set(combine(total, partial.at(s))))
  // so that a call in a loop does not write what others still read
  if (!apart) k.workgroupBarrier()
  return total
}
