import type { Func, Kernel, Root } from '@weft/dsl/ir'
import type { Rule, Working } from './graph'
import { Module } from './module'

/** What is done in one walk down a kernel. */
export interface Rewriting {
  /** With the declarations as they are to be. */
  kernel: Kernel
  /** What is done to each expression, operands first, until no rule applies. */
  readonly rules: Rule[]
  /** Equal expressions become one node, and read-only memory is read once. */
  share: boolean
  /** Ranges that ask for it are written out. */
  unroll: boolean
  /** What a loop does not change is moved before it: see `licm.ts`. */
  hoist: boolean
  /** What is known of integers is used: see `ranges.ts`. */
  ranges: boolean
  /** Workgroup arrays of arrays become arrays: see `flatten.ts`. */
  flatten: boolean
  /** Functions are made for the pointers that they are given; `native`: only where there are none, to lanes. */
  pointers: 'native' | 'specialized' | null
  /** What stands for the root of a place. */
  root: ((root: Root) => Root) | null
}

/** A walk that does nothing yet. */
export const rewriting = (kernel: Kernel): Rewriting => ({
  kernel,
  rules: [],
  share: false,
  unroll: false,
  hoist: false,
  ranges: false,
  flatten: false,
  pointers: null,
  root: null,
})

/** A kernel as the passes and the emitter want it. */
export const working = (kernel: Kernel): Working =>
  'graph' in kernel ? (kernel as Working) : rewrite(rewriting(kernel))

/** Whether a loop of it was written out. */
export const isUnrolled = (kernel: Kernel): boolean => 'graph' in kernel && (kernel as Working).graph.unrolled

/**
 * Everything that is done to single expressions and statements goes through here, in one walk. What is never reached is
 * left out on the way: constant errors of WGSL fire in dead code, too.
 *
 * An expression is pure and says nothing of a place or a time, so equal ones are equal wherever they stand; where a
 * shared one is evaluated, the emitter decides by dominance. A load is a statement: a later one of the same element
 * takes the value of an earlier one only where that is visible, and only from bindings that nobody writes.
 */
export function rewrite(how: Rewriting): Working {
  const { kernel } = how
  const module = new Module(how)
  const functions = module.pointers ? [] : kernel.functions.map((f): Func => ({ ...f, body: module.body(f.body) }))
  const body = module.body(kernel.body)
  const { variables } = module
  return { ...kernel, functions: module.pointers?.functions ?? functions, variables, body, graph: module.graph }
}
