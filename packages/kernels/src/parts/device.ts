import type { CompiledKernel } from '@weft/codegen'

/** What `runtime.info` says of a device, by which kernels are chosen. */
export interface Device {
  readonly features: readonly string[]
  readonly languageFeatures: readonly string[]
  /** With `minSubgroupSize` and `maxSubgroupSize`, where they are known. */
  readonly limits: Readonly<Record<string, number>>
}

/** Whether a device can run a variant of a kernel. */
export const canRun = ({ variants }: CompiledKernel, { features, languageFeatures, limits }: Device): boolean =>
  variants.some(
    ({ needs }) =>
      needs.features.every((name) => features.includes(name)) &&
      needs.languageFeatures.every((name) => languageFeatures.includes(name)) &&
      Object.entries(needs.limits).every(([name, least]) => (limits[name] ?? 0) >= least),
  )

/** Whether all subgroups have so many invocations. */
export const hasSubgroupsOf = (size: number, { limits }: Device): boolean =>
  limits.minSubgroupSize === size && limits.maxSubgroupSize === size
