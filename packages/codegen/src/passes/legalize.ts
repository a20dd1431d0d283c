import type { Kernel } from '@weft/dsl/ir'
import type { Profile } from '../profiles/profiles'
import { bakeOverrides } from './legalize/overrides'
import { lowerBuiltin } from './legalize/builtins'
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
  return mapExprs(k, (e) => (e.kind === 'builtin' ? lowerBuiltin(e, k) : lowerOp(e, profile)))
}
