import type { CompiledKernel } from '@weft/codegen'
import { describe, expect, it } from 'vitest'
import * as blocks from '../../packages/kernels/generated/blocks/index.js'
import * as matmul from '../../packages/kernels/generated/matmul/index.js'
import * as matmulInt8 from '../../packages/kernels/generated/matmul-int8/index.js'
import * as quant from '../../packages/kernels/generated/quant/index.js'

/** What every device has (WebGPU specification, default limits). */
const DEFAULTS: Readonly<Record<string, number>> = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxStorageBuffersPerShaderStage: 8,
  maxUniformBuffersPerShaderStage: 12,
  maxBindGroups: 4,
  maxBindingsPerBindGroup: 1000,
}

/** Kernels for devices with these are chosen by the limits of the device as well. */
const MATRICES = 'chromium-experimental-subgroup-matrix'

describe('[case-S03] every variant of a product runs with the default limits, those for one row and one column too', () => {
  for (const [family, kernels] of Object.entries({ blocks, matmul, 'matmul-int8': matmulInt8, quant })) {
    it(family, () => {
      const all = Object.values(kernels as unknown as Readonly<Record<string, CompiledKernel>>)
      expect(all.length).toBeGreaterThanOrEqual(9)
      for (const kernel of all)
        for (const { id, needs } of kernel.variants.filter(({ needs }) => !needs.features.includes(MATRICES)))
          for (const [name, least] of Object.entries(needs.limits))
            expect(least, `${kernel.name} ${id}: ${name}`).toBeLessThanOrEqual(DEFAULTS[name] ?? Number.NaN)
    })
  }
})
