import type { FeatureName } from '@weft/dsl/ir'

/** What a family of compilers accepts, and what to use of it where there is another way. */
export interface Profile {
  readonly name: ProfileName
  /** What a module may need. What is not here and has no equivalent is refused. */
  readonly allows: ReadonlySet<FeatureName>
  /** What is used as it is although it could be lowered; a module then needs it. `f16`: bitcasts and `frexp` of it. */
  readonly native: ReadonlySet<FeatureName>
  /** Whether overrides stay, to be set when the pipeline is made; otherwise their defaults are baked. */
  readonly overrides: boolean
}

export type ProfileName = 'any' | 'baseline' | 'chrome' | 'firefox' | 'safari'

const ALL: readonly FeatureName[] = [
  'f16',
  'subgroups',
  'subgroup-size-control',
  'subgroup-id',
  'subgroup-matrix',
  'linear-indexing',
  'buffer-view',
  'packed-dot',
  'immediates',
  'pointer-parameters',
  'read-write-textures',
]

const profile = (
  name: ProfileName,
  allows: readonly FeatureName[],
  native: readonly FeatureName[],
  overrides: boolean,
): Profile => ({
  name,
  allows: new Set(allows),
  native: new Set(native),
  overrides,
})

/**
 * `any`, the default: lowers what can be lowered without loss, so that the text is the same for all compilers, and says
 * in `needs` what is left. `baseline` needs nothing: no optional feature of a device or a language. The others are
 * what the compiler of a browser takes: Tint; naga, which has no subgroups under WebGPU yet, no pointers to workgroup or
 * storage memory as parameters, no immediates; and WebKit's, for which overrides are baked.
 */
export const PROFILES: { readonly [K in ProfileName]: Profile } = {
  any: profile('any', ALL, ['packed-dot', 'immediates'], true),
  baseline: profile('baseline', [], [], true),
  chrome: profile('chrome', ALL, ['packed-dot', 'immediates', 'pointer-parameters', 'f16'], true),
  firefox: profile('firefox', ['f16', 'packed-dot', 'read-write-textures'], ['packed-dot'], true),
  safari: profile('safari', ['f16', 'read-write-textures'], [], false),
}
