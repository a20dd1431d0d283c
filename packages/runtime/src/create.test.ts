import { describe, expect, it } from 'vitest'
import { createRuntime } from './create'
import { createRuntime as createInNode } from './node/index'
import { failure } from './testing/expect'
import { fakeCpu } from './testing/fixtures'

const info = { vendor: 'acme', architecture: 'one', description: '', device: 'x1' }
const subgroupMatrixConfigs = [{ componentType: 'f16', resultComponentType: 'f32', M: 16, N: 8, K: 16 }]

/** An adapter as far as it goes: what is asked of it, and what it answers. */
function mock(
  features: string[],
  limits: Record<string, number>,
  requestDevice: (asked: GPUDeviceDescriptor) => Promise<unknown>,
): GPU {
  const adapter = { features: new Set(features), limits, info: { ...info, subgroupMatrixConfigs }, requestDevice }
  return {
    requestAdapter: async () => adapter,
    wgslLanguageFeatures: new Set(['subgroup_id', 'immediate_address_space']),
  } as unknown as GPU
}

const pass = { end() {} }
const deviceOf = (asked: GPUDeviceDescriptor) => ({
  features: new Set(asked.requiredFeatures),
  limits: asked.requiredLimits,
  lost: new Promise(() => undefined),
  adapterInfo: info,
  addEventListener() {},
  createCommandEncoder: () => ({ beginComputePass: () => pass, finish: () => ({}) }),
  destroy() {},
})

describe('[case-R40] without a device, three different errors that help', () => {
  it('no-webgpu', async () => {
    const e = await failure('no-webgpu', () => createRuntime())
    expect(e.message).toContain('there is no navigator.gpu')
    expect(e.message).toContain("@weft/runtime/node'; or run on the CPU: createRuntime({ device: cpu() })")
  })

  it('no-adapter', async () => {
    const none = { requestAdapter: async () => null } as unknown as GPU
    const e = await failure('no-adapter', () => createRuntime({ gpu: none }))
    expect(e.message).toContain('it found no adapter: requestAdapter gave null')
    const refuses = { requestAdapter: () => Promise.reject(new Error('not now')) } as unknown as GPU
    expect((await failure('no-adapter', () => createRuntime({ gpu: refuses }))).message).toContain('not now')
  })

  it('no-device', async () => {
    const gpu = mock(['shader-f16'], {}, () => Promise.reject(new TypeError('too much')))
    const e = await failure('no-device', () => createRuntime({ gpu }))
    const unknown = await failure('no-device', () =>
      createRuntime({ gpu: mock([], { maxBufferSize: 64 }, async () => null), limits: { maxFoo: 1 } }),
    )
    expect(unknown.message).toBe(
      "no-device: the adapter gave no device: there is no limit 'maxFoo'\n  note: its limits are 'maxBufferSize'",
    )
    const lacking = await failure('no-device', () =>
      createRuntime({ gpu: mock(['subgroups'], {}, async () => null), features: ['foo' as never] }),
    )
    expect(lacking.message).toBe(
      "no-device: the adapter gave no device: it lacks the feature 'foo'\n" +
        "  note: leave features out for all that kernels can use; it has 'subgroups'",
    )
    expect(e.message).toContain('the adapter gave no device: too much\n  note: ask for fewer features (shader-f16)')
  })
})

it("[case-R37] [case-R35] asks for the adapter's limits and those features that it has", async () => {
  const limits = { maxBufferSize: 2 ** 32, maxStorageBufferBindingSize: 2 ** 31 }
  const asked: GPUDeviceDescriptor[] = []
  const open = async (descriptor: GPUDeviceDescriptor) => {
    asked.push(descriptor)
    return deviceOf(descriptor)
  }
  const plain = await createRuntime({ gpu: mock(['depth-clip-control'], limits, open) })
  expect(asked[0]).toMatchObject({ requiredFeatures: [], requiredLimits: limits })
  expect(plain.info).toEqual({
    backend: 'webgpu',
    adapter: 'acme one x1',
    vendor: 'acme',
    architecture: 'one',
    device: 'x1',
    software: false,
    features: [],
    languageFeatures: ['subgroup_id'], // without setImmediates there are no immediates
    subgroupMatrices: [],
    limits,
  })
  const rich = await createRuntime({ gpu: mock(['timestamp-query', 'shader-f16', 'subgroups'], limits, open) })
  expect(rich.info.features).toEqual(['shader-f16', 'subgroups', 'timestamp-query'])
  const matrices = await createRuntime({ gpu: mock(['chromium-experimental-subgroup-matrix'], limits, open) })
  expect(matrices.info.subgroupMatrices).toEqual(['f16 f32 16x8x16'])
  await createRuntime({ gpu: mock([], limits, open), limits: 'default' })
  expect(asked[3]?.requiredLimits).toEqual({})
})

describe('options that there are not', () => {
  it('are refused, with those that there are', async () => {
    const e = await failure('bad-argument', () => createRuntime({ devise: fakeCpu({}) } as never))
    expect(e.message).toBe(
      "bad-argument: createRuntime knows no option 'devise'\n" +
        "  note: its options are 'device', 'gpu', 'powerPreference', 'forceFallbackAdapter', 'features', 'limits', 'label', " +
        "'memory', 'maxDispatchesPerSubmit', 'maxSubmitsInFlight', 'passes', 'debug'",
    )
    const memory = { maxIdle: 1 } as never
    expect((await failure('bad-argument', () => createRuntime({ device: fakeCpu({}), memory }))).message).toBe(
      "bad-argument: the option 'memory' knows no option 'maxIdle'\n  note: its options are 'maxIdleBytes', 'stacks'",
    )
    await failure('bad-argument', () => createRuntime(null as never))
    await failure('bad-argument', () => createInNode({ device: fakeCpu({}), down: [] } as never))
    await createInNode({ device: fakeCpu({}), dawn: [], label: 'fine' })
  })
})
