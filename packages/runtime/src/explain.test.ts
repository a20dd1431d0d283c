import { expect, it } from 'vitest'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { fill, fixture, linear, param } from './testing/fixtures'

it('explains a launch: rule, counts, variant, bindings', async () => {
  const { runtime, device } = await start()
  const out = runtime.buffer(Uint32Array, 200)
  expect(await runtime.explainLaunch(fill, { out, n: 130, value: 1 })).toEqual({
    kernel: 'fill',
    variant: 'portable',
    rejected: [],
    rule: ['ceilDiv(n, 64)'],
    asked: [3],
    workgroups: [3, 1, 1],
    folded: false,
    surplus: 0,
    workgroupSize: [64, 1, 1],
    invocations: 192,
    empty: false,
    params: 'uniform',
    bindings: { out: { offset: 0, size: 800 } },
    limits: { maxComputeWorkgroupsPerDimension: 65535, maxStorageBufferBindingSize: 2 ** 27 },
  })
  expect(device.launches).toHaveLength(0)
  expect(runtime.stats.pipelines.misses).toBe(0)
})

it('explains folds with their surplus, counts of the caller and of a buffer, and launches of nothing', async () => {
  const { runtime } = await start()
  const out = runtime.buffer(Uint32Array, 16)
  const rows = fixture({
    name: 'rows',
    bindings: { out: 'write array<u32>' },
    params: { n: 'u32' },
    body: '',
    launch: linear({ kind: 'mul', a: { kind: 'length', binding: 'out' }, b: { kind: 'add', a: param('n'), b: 1 } }),
  })
  const of = (n: number, options = {}) => runtime.explainLaunch(rows, { out, n }, options)
  const big = await of(2 ** 16)
  expect(big).toMatchObject({ rule: ['(length(out) * (n + 1))'], asked: [16 * 65537], folded: true, empty: false })
  expect((big.workgroups as readonly number[]).reduce((a, b) => a * b)).toBe(16 * 65537 + big.surplus)
  expect(await of(1, { workgroups: [2, 3] })).toMatchObject({
    rule: null,
    asked: [2, 3],
    workgroups: [2, 3, 1],
    folded: false,
    surplus: 0,
  })
  const counts = runtime.buffer(Uint32Array, 3)
  const indirect = { asked: null, workgroups: null, invocations: null, folded: false, surplus: 0, empty: false }
  expect(await of(1, { indirect: { buffer: counts } })).toMatchObject(indirect)
  expect(await runtime.explainLaunch(fill, { out, n: 0, value: 1 })).toMatchObject({
    asked: [0],
    empty: true,
    folded: false,
  })
  await failure('bad-param', () => runtime.explainLaunch(fill, { out, n: -1, value: 1 }))
})

it('says why better variants are not taken', async () => {
  const { runtime } = await start()
  const out = runtime.buffer(Uint32Array, 4)
  const [portable] = fill.variants
  const needs = { features: ['subgroups'], languageFeatures: [], limits: {}, alias: null }
  const kernel = { ...fill, variants: [{ ...portable, id: 'subgroups', needs }, portable] } as typeof fill
  expect(await runtime.explainLaunch(kernel, { out, n: 4, value: 1 })).toMatchObject({
    variant: 'portable',
    rejected: [{ id: 'subgroups', because: "needs the feature 'subgroups'" }],
  })
})

it('warms kernels up, once for each variant', async () => {
  const { runtime } = await start()
  const other = fixture({ name: 'other', bindings: { out: 'write array<u32>' }, body: '', launch: linear(1) })
  await runtime.warmup([fill, other])
  const { misses } = runtime.stats.pipelines
  expect(misses).toBe(2)
  await runtime.run(fill, { out: runtime.buffer(Uint32Array, 4), n: 4, value: 1 })
  await runtime.prepare(other, { out: runtime.buffer(Uint32Array, 4) })
  expect(runtime.stats.pipelines.misses).toBe(2)
})
