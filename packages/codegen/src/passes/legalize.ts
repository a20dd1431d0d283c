import type { Kernel } from '@weft/dsl/ir'
import type { Profile } from '../profiles/profiles'
import type { Rule } from './graph'
import { lowerBuiltin } from './legalize/builtins'
import { lowerOp } from './legalize/ops'
import { bakeOverrides } from './legalize/overrides'
import { specializePointers } from './legalize/pointers'

/**
 * Rewrites what the compilers of a profile do not take, or take and compute wrong, into what they do. What has no
 * equivalent stays, and `unsupported` names it. First the declarations and calls, then the expressions.
 */
export function legalizeKernel(kernel: Kernel, profile: Profile): Kernel {
  const baked = profile.overrides ? kernel : bakeOverrides(kernel)
  return specializePointers(baked, profile.native.has('pointer-parameters'))
}

export const legalizeExpr =
  (kernel: Kernel, profile: Profile): Rule =>
  (e) =>
    e.kind === 'builtin' ? lowerBuiltin(e, kernel) : lowerOp(e, profile)
