import { forEachExpr, type Expr, type Kernel } from '@weft/dsl/ir'
import type { Profile } from '../profiles/profiles'
import { bakeOverrides } from './legalize/overrides'
import { lowerBuiltins, passBuiltins } from './legalize/builtins'
import { lowerOp } from './legalize/ops'
import { specializePointers } from './legalize/pointers'
import { mapExprs } from './rewrite'

/**
 * Rewrites what the compilers of a profile do not take, or take and compute wrong, into what they do. What has no
 * equivalent stays, and `unsupported` names it.
 */
export function legalize(kernel: Kernel, profile: Profile): Kernel {
  let k = kernel
  if (!profile.overrides) k = bakeOverrides(k)
  if (!profile.native.has('pointer-parameters')) k = specializePointers(k)
  k = passBuiltins(k)
  const used = builtinsOf(k)
  return mapExprs(k, (e) => lowerOp(used ? lowerBuiltins(e, k) : e, profile))
}

/** Whether any of the built-in values that are always computed is there. */
function builtinsOf(kernel: Kernel): boolean {
  let found = false
  const see = (e: Expr): void => {
    if (e.kind === 'builtin' && (e.name === 'workgroup_index' || e.name === 'global_invocation_index')) found = true
  }
  forEachExpr(kernel.body, see)
  return found
}
