import { expect, test } from 'vitest'
import { chooseDecodeSplits, chooseDecodeStream } from './choose'

test.each([
  ['no keys', 8, 0, 1],
  ['a short context is not cut', 8, 128, 1],
  ['one key more is', 8, 129, 2],
  ['a long one is cut into as many as are of use', 4, 1 << 20, 128],
  ['rows enough need no splits', 4096, 1 << 20, 1],
  ['a batch needs fewer', 128, 8192, 8],
])('%s: %i rows of %i keys', (_, rows, keys, splits) => {
  expect(chooseDecodeSplits(rows, keys)).toBe(splits)
})

const LIMITS = {
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxStorageBuffersPerShaderStage: 8,
  maxUniformBuffersPerShaderStage: 12,
}
const device = {
  features: ['subgroups'],
  languageFeatures: ['subgroup_id'],
  limits: { ...LIMITS, minSubgroupSize: 32 },
}
const form = { headSize: 128, type: 'f32', cacheType: 'f16', capped: false } as const

test('several query heads share a read where subgroups are wide enough, for heads of 64 and 128 without a soft cap', () => {
  expect(chooseDecodeStream(form, device)?.name).toBe('decode_stream_128_f16_cache')
  expect(chooseDecodeStream({ ...form, type: 'f16', headSize: 64 }, device)?.name).toBe('decode_stream_64_f16')
  expect(chooseDecodeStream({ ...form, cacheType: 'f32' }, device)?.name).toBe('decode_stream_128')
  for (const other of [{ headSize: 96 }, { capped: true }])
    expect(chooseDecodeStream({ ...form, ...other }, device)).toBe(undefined)
  for (const other of [
    { features: [] },
    { languageFeatures: [] },
    { limits: { ...LIMITS, minSubgroupSize: 8 } },
    { limits: LIMITS },
  ])
    expect(chooseDecodeStream(form, { ...device, ...other })).toBe(undefined)
})
