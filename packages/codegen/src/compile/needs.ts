import {
  type Binding,
  type Extent,
  FEATURES,
  type Feature,
  type FeatureName,
  type Kernel,
  roundUp,
  sizeOf,
} from '@weft/dsl/ir'
import type { Needs } from '../artifact'

/** What a device must have to run a variant of a kernel. */
export function needsOf(
  kernel: Kernel,
  features: Pick<ReadonlySet<FeatureName>, 'has'>,
  via: 'uniform' | 'immediates' | null,
  paramsSize: number,
  alias: readonly [string, string] | null,
): Needs {
  const device: string[] = []
  const language: string[] = []
  for (const [name, feature] of ALL) {
    if (!features.has(name) && (via !== 'immediates' || name !== via)) continue
    if (feature.device) device.push(feature.device)
    if (feature.language) language.push(feature.language)
  }
  return { features: device, languageFeatures: language, limits: limitsOf(kernel, via, paramsSize), alias }
}

const ALL = Object.entries(FEATURES) as [FeatureName, Feature][]

/** Only what is known without the values of overrides; the rest the device finds when the pipeline is made. */
function limitsOf(
  kernel: Kernel,
  via: 'uniform' | 'immediates' | null,
  paramsSize: number,
): Readonly<Record<string, number>> {
  const known = (x: Extent): number => (typeof x === 'number' ? x : defaultOf(kernel, x))
  const [x, y, z] = kernel.workgroupSize.map(known) as [number, number, number]
  const count = (is: (b: Binding) => boolean): number => kernel.bindings.filter(is).length
  const all: Readonly<Record<string, number>> = {
    maxComputeWorkgroupSizeX: x,
    maxComputeWorkgroupSizeY: y,
    maxComputeWorkgroupSizeZ: z,
    maxComputeInvocationsPerWorkgroup: x * y * z,
    maxComputeWorkgroupStorageSize: workgroupBytes(kernel),
    maxStorageBuffersPerShaderStage: count((b) => b.kind === 'storage'),
    maxUniformBuffersPerShaderStage: count((b) => b.kind === 'uniform') + (via === 'uniform' ? 1 : 0),
    maxSampledTexturesPerShaderStage: count((b) => b.texture !== undefined && !b.texture.format),
    maxStorageTexturesPerShaderStage: count((b) => b.texture?.format !== undefined),
    maxImmediateSize: via === 'immediates' ? paramsSize : 0,
  }
  const limits: Record<string, number> = {}
  for (const name in all) if ((all[name] as number) > 0) limits[name] = all[name] as number
  return limits
}

const defaultOf = (kernel: Kernel, { override }: { readonly override: string }): number =>
  kernel.overrides.find((o) => o.name === override)?.default ?? 1

/** Each workgroup variable takes a multiple of 16 bytes. */
function workgroupBytes(kernel: Kernel): number {
  let sum = 0
  for (const { space, type: t } of kernel.variables) {
    if (space !== 'workgroup') continue
    const sized = typeof t !== 'string' && t.kind === 'array' && typeof t.count === 'object' && t.count
    sum += roundUp(16, sizeOf(sized ? { ...t, count: defaultOf(kernel, sized) } : t))
  }
  return sum
}
