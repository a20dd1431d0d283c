import { describe, expect, test } from 'vitest'
import { chooseMatrixRows, hasMatrices } from './matrix-tiles'

describe('chooseMatrixRows', () => {
  test('by the rows of x, and for few of them by those of W', () => {
    expect(chooseMatrixRows(5, 4096)).toBe('few')
    expect(chooseMatrixRows(16, 32_768)).toBe('long')
    expect(chooseMatrixRows(17, 32_768)).toBe('some')
    expect(chooseMatrixRows(128, 64)).toBe('some')
    expect(chooseMatrixRows(129, 64)).toBe('many')
  })
})

describe('hasMatrices', () => {
  const device = {
    features: ['shader-f16', 'subgroups'],
    subgroupMatrices: ['f16 f32 16x16x16'],
    limits: { minSubgroupSize: 32, maxSubgroupSize: 32, maxComputeWorkgroupStorageSize: 49_152 },
  }

  test('needs f16, the size of matrices, subgroups of 32 and workgroup memory', () => {
    expect(hasMatrices(device)).toBe(true)
    expect(hasMatrices({ ...device, features: ['subgroups'] })).toBe(false)
    expect(hasMatrices({ ...device, subgroupMatrices: ['f16 f16 16x16x16'] })).toBe(false)
    expect(hasMatrices({ ...device, limits: { ...device.limits, minSubgroupSize: 8 } })).toBe(false)
    expect(hasMatrices({ ...device, limits: { ...device.limits, maxComputeWorkgroupStorageSize: 16_384 } })).toBe(false)
  })
})
