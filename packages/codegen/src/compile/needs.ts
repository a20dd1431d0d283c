import { type Binding, FEATURES, type Feature, type FeatureName, type Kernel, roundUp, sizeOf } from '@weft/dsl/ir'
import type { Needs } from '../artifact'

/** What a device must have to run a variant of a kernel. */
export function needsOf(
  kernel: Kernel,
  features: ReadonlySet<FeatureName>,
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
  const limits: Record<string, number> = {}
  const need = (name: string, least: number): void => {
    if (least > 0) limits[name] = least
  }
  const size = kernel.workgroupSize.map((x) =>
    typeof x === 'number' ? x : (kernel.overrides.find((o) => o.name === x.override)?.default ?? 1),
  )
  const [x = 1, y = 1, z = 1] = size
  need('maxComputeWorkgroupSizeX', x)
  need('maxComputeWorkgroupSizeY', y)
  need('maxComputeWorkgroupSizeZ', z)
  need('maxComputeInvocationsPerWorkgroup', x * y * z)
  need('maxComputeWorkgroupStorageSize', workgroupBytes(kernel))
  const count = (is: (b: Binding) => boolean): number => kernel.bindings.filter(is).length
  need(
    'maxStorageBuffersPerShaderStage',
    count((b) => b.kind === 'storage'),
  )
  need('maxUniformBuffersPerShaderStage', count((b) => b.kind === 'uniform') + (via === 'uniform' ? 1 : 0))
  need(
    'maxSampledTexturesPerShaderStage',
    count((b) => b.texture !== undefined && !b.texture.format),
  )
  need(
    'maxStorageTexturesPerShaderStage',
    count((b) => b.texture?.format !== undefined),
  )
  if (via === 'immediates') need('maxImmediateSize', paramsSize)
  return limits
}

/** Each workgroup variable takes a multiple of 16 bytes. */
function workgroupBytes(kernel: Kernel): number {
  let sum = 0
  for (const v of kernel.variables) {
    if (v.space !== 'workgroup') continue
    const t = v.type
    if (typeof t !== 'string' && t.kind === 'array' && t.count !== null && typeof t.count !== 'number') {
      const { override } = t.count
      const count = kernel.overrides.find((o) => o.name === override)?.default ?? 1
      sum += roundUp(16, sizeOf({ ...t, count }))
    } else sum += roundUp(16, sizeOf(t))
  }
  return sum
}
