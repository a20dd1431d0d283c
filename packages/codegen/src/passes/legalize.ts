import type { Kernel } from '@weft/dsl/ir'
import type { Profile } from '../profiles/profiles'
import { lowerBuiltin } from './legalize/builtins'
import { lowerOp } from './legalize/ops'
import { bakeOverrides } from './legalize/overrides'
import { specializePointers } from './legalize/pointers'
import { mapExprs } from './rewrite'

/**
 * Rewrites what the compilers of a profile do not take, or take and compute wrong, into what they do. What has no
 * equivalent stays, and `unsupported` names it.
 */
export function legalize(kernel: Kernel, profile: Profile): Kernel {
  let k = kernel
  if (!profile.overrides) k = bakeOverrides(k)
  k = specializePointers(k, profile.native.has('pointer-parameters'))
  return mapExprs(k, (e) => (e.kind === 'builtin' ? lowerBuiltin(e, k) : lowerOp(e, profile)))
}
