import { type Diagnostic, FEATURES, type FeatureName, type Use } from '@weft/dsl/ir'
import type { Profile } from './profiles'

/** What a legalized kernel still needs and its profile does not have: one fault for each, naming the first use. */
export function unsupported(profile: Profile, features: ReadonlyMap<FeatureName, Use>): Diagnostic[] {
  const out: Diagnostic[] = []
  for (const feature of Object.keys(FEATURES) as FeatureName[]) {
    const use = features.get(feature)
    if (!use || profile.allows.has(feature)) continue
    out.push({
      code: 'profile-unsupported',
      message: `${use.what}${use.which ? `, which ${use.which},` : ''} needs ${needOf(feature)}, which the profile '${profile.name}' does not have`,
      ...(use.at >= 0 ? { at: use.at } : {}),
      note: 'add a variant that does without it, or compile for another profile',
    })
  }
  return out
}

function needOf(feature: FeatureName): string {
  const { device, language }: { device?: string; language?: string } = FEATURES[feature]
  return device ? `the device feature '${device}'` : `the language feature '${language}'`
}
