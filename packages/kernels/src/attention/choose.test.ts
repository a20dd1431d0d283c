import { expect, test } from 'vitest'
import { chooseFastForward } from './choose'

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
const half = { headSize: 128, type: 'f16', plain: true, rows: 16, keys: 1 } as const

test('f16 goes to subgroup matrices of subgroups of 32, f32 into registers, where there is memory enough', () => {
  expect(chooseFastForward(half, H200)?.name).toBe('attention_matrix_128_f16')
  expect(chooseFastForward({ ...half, headSize: 64 }, H200)?.name).toBe('attention_matrix_64_f16')
  expect(chooseFastForward({ ...half, type: 'f32', rows: 1 }, H200)?.name).toBe('attention_tiled_128')
  const limits = (some: Readonly<Record<string, number>>) => ({ ...H200, limits: { ...H200.limits, ...some } })
  expect(chooseFastForward(half, limits({ maxSubgroupSize: 64 }))).toBe(undefined)
  expect(chooseFastForward(half, limits({ maxComputeWorkgroupStorageSize: 32768 }))).toBe(undefined)
  expect(chooseFastForward(half, { ...H200, features: ['shader-f16', 'subgroups'] })).toBe(undefined)
  expect(chooseFastForward({ ...half, type: 'f32' }, limits({ maxComputeWorkgroupStorageSize: 32768 }))).toBe(undefined)
})

test.each([
  ['another head size', { headSize: 80 }],
  ['masks, windows, a soft cap', { plain: false }],
  ['fewer rows than a matrix has', { rows: 15 }],
  ['no keys', { keys: 0 }],
])('the portable kernel takes %s', (_, other) => {
  expect(chooseFastForward({ ...half, ...other }, H200)).toBe(undefined)
})
