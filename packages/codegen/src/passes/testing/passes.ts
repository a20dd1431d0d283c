import type { Kernel } from '@weft/dsl/ir'
import { PROFILES, type Profile } from '../../profiles'
import { PASSES, type PassName, runAll } from '..'

const only =
  (name: PassName) =>
  (kernel: Kernel, profile: Profile = PROFILES.any): Kernel =>
    runAll(
      kernel,
      profile,
      PASSES.filter((p) => p.name === name),
    )

/** The passes that share a walk, one by one. */
export const flatten = only('flatten')
export const unroll = only('unroll')
export const legalize = only('legalize')
export const fold = only('fold')
export const simplify = only('simplify')
export const ranges = only('ranges')
export const cse = only('cse')
export const licm = only('licm')
