/** What a runtime runs on; plain data, for reports and for choosing kernels. */
export interface RuntimeInfo {
  readonly backend: 'webgpu' | 'cpu'
  /** The adapter's description, or what else is known of it. */
  readonly adapter: string
  readonly vendor: string
  readonly architecture: string
  /** Which of the vendor's devices, where it is known: a name or a number. Browsers keep it to themselves. */
  readonly device: string
  /** Whether the GPU is emulated on the CPU: results count, times do not. */
  readonly software: boolean
  /** `GPUFeatureName`s of the device, sorted. */
  readonly features: readonly string[]
  /** WGSL language features, sorted. */
  readonly languageFeatures: readonly string[]
  /** Products of subgroup matrices that the device has: `'f16 f32 16x16x16'` multiplies f16 into sums of f32, rows × columns × depth. */
  readonly subgroupMatrices: readonly string[]
  /** By their WebGPU names; `minSubgroupSize` and `maxSubgroupSize` too, where they are known. */
  readonly limits: Readonly<Record<string, number>>
}
