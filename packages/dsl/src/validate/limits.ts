/** Limits of a device, by their WebGPU names, and those that the WGSL specification fixes. */
export interface Limits {
  readonly maxComputeWorkgroupStorageSize: number
  readonly maxComputeInvocationsPerWorkgroup: number
  readonly maxComputeWorkgroupSizeX: number
  readonly maxComputeWorkgroupSizeY: number
  readonly maxComputeWorkgroupSizeZ: number
  readonly maxStorageBuffersPerShaderStage: number
  readonly maxUniformBuffersPerShaderStage: number
  readonly maxSampledTexturesPerShaderStage: number
  readonly maxStorageTexturesPerShaderStage: number
  readonly maxBindingsPerBindGroup: number
  readonly maxUniformBufferBindingSize: number
}

/** What every WebGPU device has. */
export const DEFAULT_LIMITS: Limits = {
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxStorageBuffersPerShaderStage: 8,
  maxUniformBuffersPerShaderStage: 12,
  maxSampledTexturesPerShaderStage: 16,
  maxStorageTexturesPerShaderStage: 4,
  maxBindingsPerBindGroup: 1000,
  maxUniformBufferBindingSize: 65536,
}

/**
 * Minima of the WGSL specification, §"Limits", which no device raises. Tint takes 62 nested blocks; each `else if` counts
 * as one, since it does in SPIR-V, and lavapipe executes more than 80 wrongly, without a word.
 */
export const WGSL_LIMITS = {
  /** Bytes of the variables of a function, and of all private variables. */
  variableBytes: 8192,
  structMembers: 1023,
  compositeDepth: 15,
  functionParameters: 255,
  switchSelectors: 1023,
  immediateBytes: 64,
  nestedBlocks: 60,
} as const
