import type { Profile } from '../profiles/profiles'
import { lowerBuiltin } from './legalize/builtins'
import { lowerOp } from './legalize/ops'
import { bakeDeclarations, bakeOverride } from './legalize/overrides'
import type { Rewriting } from './rewrite'

/**
 * Rewrites what the compilers of a profile do not take, or take and compute wrong, into what they do. What has no
 * equivalent stays, and `unsupported` names it.
 */
export function legalize(walk: Rewriting, profile: Profile): void {
  const { kernel } = walk
  walk.rules.push((e) => {
    switch (e.kind) {
      case 'builtin':
        return lowerBuiltin(e, kernel)
      case 'override':
        return profile.overrides ? e : bakeOverride(e, kernel)
      default:
        return lowerOp(e, profile)
    }
  })
  if (!profile.overrides && kernel.overrides.length > 0) walk.kernel = bakeDeclarations(kernel)
  walk.pointers = profile.native.has('pointer-parameters') ? 'native' : 'specialized'
}
