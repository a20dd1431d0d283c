import type { Kernel } from '@weft/dsl/ir'
import { lowerParamArrays } from '../layout/params'
import type { Profile } from '../profiles/profiles'
import { dce } from './dce'
import { foldExpr } from './fold'
import type { Rule } from './graph'
import { guard } from './guard'
import { legalizeExpr, legalizeKernel } from './legalize'
import { licm } from './licm'
import { rewrite } from './rewrite'
import { runtimeConstants } from './runtime-constants'
import { simplifyExpr } from './simplify'
import { unroll } from './unroll'

/** One step from a kernel to a kernel that computes the same: `run`, then what it does to expressions. */
export interface Pass {
  readonly name: PassName
  /** Part of what makes a module right, and not only good: not to be left out. */
  readonly required: boolean
  readonly run?: (kernel: Kernel, profile: Profile) => Kernel
  /** Passes with rules that follow each other take one walk, in which each node is rewritten by all of them. */
  readonly rule?: (kernel: Kernel, profile: Profile) => Rule
  /** Makes equal expressions one. */
  readonly share?: boolean
}

export type PassName =
  | 'params'
  | 'guard'
  | 'unroll'
  | 'legalize'
  | 'fold'
  | 'simplify'
  | 'cse'
  | 'licm'
  | 'dce'
  | 'runtime-constants'

/** The pipeline, in order. */
export const PASSES: readonly Pass[] = [
  { name: 'params', required: true, run: lowerParamArrays },
  { name: 'guard', required: true, run: guard },
  { name: 'unroll', required: false, run: unroll },
  { name: 'legalize', required: true, run: legalizeKernel, rule: legalizeExpr },
  { name: 'fold', required: false, rule: () => foldExpr },
  { name: 'simplify', required: false, rule: () => simplifyExpr },
  { name: 'cse', required: false, share: true },
  { name: 'licm', required: false, run: licm },
  { name: 'dce', required: true, run: dce },
  { name: 'runtime-constants', required: true, run: runtimeConstants },
]

/** Runs passes, those that rewrite expressions together. */
export function runAll(kernel: Kernel, profile: Profile, passes: readonly Pass[]): Kernel {
  let current = kernel
  let rules: Rule[] = []
  let share = false
  const flush = (): void => {
    if (rules.length > 0 || share) current = rewrite(current, rules, share)
    rules = []
    share = false
  }
  for (const pass of passes) {
    if (pass.run) {
      flush()
      current = pass.run(current, profile)
    }
    if (pass.rule) rules.push(pass.rule(current, profile))
    if (pass.share) share = true
  }
  flush()
  return current
}
