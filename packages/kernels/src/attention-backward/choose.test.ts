import { expect, test } from 'vitest'
import { chooseFastBackward } from './choose'

const H200 = {
  features: ['shader-f16', 'subgroups', 'chromium-experimental-subgroup-matrix'],
  languageFeatures: ['subgroup_id'],
  limits: {
    maxComputeWorkgroupSizeX: 1024,
    maxComputeWorkgroupSizeY: 1024,
    maxComputeWorkgroupSizeZ: 64,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupStorageSize: 49152,
    maxStorageBuffersPerShaderStage: 16,
    maxUniformBuffersPerShaderStage: 12,
    minSubgroupSize: 32,
    maxSubgroupSize: 32,
  },
}
const form = { headSize: 64, type: 'f16', plain: true, queries: 1, keys: 1 } as const

test('f16 goes to subgroup matrices, where the device has them in subgroups of 32', () => {
  expect(chooseFastBackward(form, H200)?.dkv.name).toBe('attention_backward_matrix_dkv_64_f16')
  expect(chooseFastBackward({ ...form, headSize: 128 }, H200)?.rows.name).toBe('attention_backward_matrix_rows_128_f16')
  for (const other of [{ type: 'f32' }, { headSize: 96 }, { plain: false }, { keys: 0 }, { queries: 0 }] as const)
    expect(chooseFastBackward({ ...form, ...other }, H200)).toBe(undefined)
  expect(chooseFastBackward(form, { ...H200, limits: { ...H200.limits, minSubgroupSize: 16 } })).toBe(undefined)
  expect(chooseFastBackward(form, { ...H200, features: ['shader-f16'] })).toBe(undefined)
})
