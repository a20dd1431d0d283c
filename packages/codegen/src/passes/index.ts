import type { Kernel } from '@weft/dsl/ir'
import { lowerParamArrays } from '../layout/params'
import type { Profile } from '../profiles/profiles'
import { dce } from './dce'
import { foldExpr } from './fold'
import type { Rule } from './graph'
import { guard } from './guard'
import { legalize } from './legalize'
import { type Rewriting, rewrite, rewriting } from './rewrite'
import { runtimeConstants } from './runtime-constants'
import { simplifyExpr } from './simplify'

/** One step from a kernel to a kernel that computes the same: a part of a walk that it shares, or a walk of its own. */
export interface Pass {
  readonly name: PassName
  /** Part of what makes a module right, and not only good: not to be left out. */
  readonly required: boolean
  /** Passes of this kind that follow each other take one walk, in which each node is rewritten by all of them. */
  readonly join?: (walk: Rewriting, profile: Profile) => void
  readonly run?: (kernel: Kernel) => Kernel
}

export type PassName =
  | 'params'
  | 'guard'
  | 'flatten'
  | 'unroll'
  | 'legalize'
  | 'fold'
  | 'simplify'
  | 'ranges'
  | 'cse'
  | 'licm'
  | 'dce'
  | 'runtime-constants'

const on = (what: 'flatten' | 'unroll' | 'ranges' | 'share' | 'hoist') => (walk: Rewriting) => {
  walk[what] = true
}
const rule = (r: Rule) => (walk: Rewriting) => void walk.rules.push(r)

/** The pipeline, in order. */
export const PASSES: readonly Pass[] = [
  { name: 'params', required: true, join: lowerParamArrays },
  { name: 'guard', required: true, join: guard },
  { name: 'flatten', required: false, join: on('flatten') },
  { name: 'unroll', required: false, join: on('unroll') },
  { name: 'legalize', required: true, join: legalize },
  { name: 'fold', required: false, join: rule(foldExpr) },
  { name: 'simplify', required: false, join: rule(simplifyExpr) },
  { name: 'ranges', required: false, join: on('ranges') },
  { name: 'cse', required: false, join: on('share') },
  { name: 'licm', required: false, join: on('hoist') },
  { name: 'dce', required: true, run: dce },
  { name: 'runtime-constants', required: true, run: runtimeConstants },
]

/** Runs passes, those that share a walk together. */
export function runAll(kernel: Kernel, profile: Profile, passes: readonly Pass[]): Kernel {
  let current = kernel
  let walk: Rewriting | null = null
  for (const { join, run } of passes) {
    if (join) join((walk ??= rewriting(current)), profile)
    if (!run) continue
    if (walk) current = rewrite(walk)
    walk = null
    current = run(current)
  }
  return walk ? rewrite(walk) : current
}
