import type { CompiledVariant, Needs } from '@weft/codegen'

/** What variants are chosen by; a `GPUDevice` with `wgslLanguageFeatures` added, an executor, or plain data. */
export interface DeviceFacts {
  readonly features: ReadonlySet<string>
  readonly languageFeatures: ReadonlySet<string>
  /** By their WebGPU names. */
  readonly limits: Readonly<Record<string, number>>
}

export interface Choice {
  readonly variant: CompiledVariant | null
  /** Why each of the variants before the chosen one was not taken. */
  readonly rejected: readonly { readonly id: string; readonly because: string }[]
}

export interface ChoiceOptions {
  /** The declared alias that is used, [input, output]: only variants that merge these two are taken. */
  readonly alias?: readonly [string, string] | null
}

const shown = (alias: Needs['alias'] | undefined): string =>
  alias ? `'${alias[0]}' and '${alias[1]}' in one buffer` : 'separate buffers'

/** Why a variant with these needs cannot be used, or null when it can. */
function obstacle(needs: Needs, device: DeviceFacts, alias: Needs['alias']): string | null {
  if (needs.alias?.[0] !== alias?.[0] || needs.alias?.[1] !== alias?.[1]) return `is for ${shown(needs.alias)}`
  const feature = needs.features.find((name) => !device.features.has(name))
  if (feature !== undefined) return `needs the feature '${feature}'`
  const language = needs.languageFeatures.find((name) => !device.languageFeatures.has(name))
  if (language !== undefined) return `needs the language feature '${language}'`
  for (const [name, least] of Object.entries(needs.limits)) {
    const limit = device.limits[name] ?? 0
    if (limit < least) return `needs ${name} ≥ ${least}, the device has ${limit}`
  }
  return null
}

/** The first of `variants` whose needs the device meets, and what speaks against those before it. Pure. */
export function selectVariant(
  variants: readonly CompiledVariant[],
  device: DeviceFacts,
  { alias = null }: ChoiceOptions = {},
): Choice {
  const rejected: { id: string; because: string }[] = []
  for (const variant of variants) {
    const because = obstacle(variant.needs, device, alias)
    if (because === null) return { variant, rejected }
    rejected.push({ id: variant.id, because })
  }
  return { variant: null, rejected }
}
