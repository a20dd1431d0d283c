import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asU32, bytesOf, elementPointer, input, layout, output, sentinel, stores } from './cases.js'
import { openDawn } from './dawn.js'
import { type Engine, errorOf, type Job, outputOf, type Result } from './engine.js'
import { missing } from './install.js'
import { openWgpu } from './wgpu.js'

describe.skipIf(missing('dawn') !== undefined)('dawn alone', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openDawn()
  })
  afterAll(() => engine?.close())

  it('is SwiftShader, with subgroups and without f16', () => {
    expect(engine.adapter.description).toContain('SwiftShader')
    expect(engine.features.has('subgroups')).toBe(true)
    expect(engine.features.has('shader-f16')).toBe(false)
    expect(engine.languageFeatures.has('immediate_address_space')).toBe(true)
    expect(engine.limits.maxComputeWorkgroupSizeX).toBeGreaterThanOrEqual(256)
  })

  it('sets immediates', async () => {
    const job = {
      ...stores('immediates', 'n.y', 'var<immediate> n: vec2u;'),
      immediates: bytesOf(new Uint32Array([4, 5])),
    }
    expect(asU32(outputOf(await engine.run(job), 0, 0))).toEqual([5])
  })

  it('runs subgroup operations', async () => {
    const job = stores('subgroup', 'subgroupAdd(3u)', 'enable subgroups;')
    expect(asU32(outputOf(await engine.run(job), 0, 0))).toEqual([3])
  })

  it('survives the module that wgpu does not', async () => {
    expect(asU32(outputOf(await engine.run(elementPointer('element pointer')), 0, 0))).toEqual([7])
  })

  it('compiles a large workgroup array fast', async () => {
    const job = stores('workgroup memory', 'u32(tile[2047])', 'var<workgroup> tile: array<f32, 2048>;')
    const start = performance.now()
    expect(asU32(outputOf(await engine.run(job), 0, 0))).toEqual([0])
    expect(performance.now() - start).toBeLessThan(1500)
  })
})

describe.skipIf(missing('wgpu') !== undefined)('wgpu alone', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openWgpu()
  })
  afterAll(() => engine?.close())

  it('is lavapipe, with f16 and without subgroups', () => {
    expect(engine.adapter.description).toContain('llvmpipe')
    expect(engine.features.has('shader-f16')).toBe(true)
    expect(engine.features.has('subgroups')).toBe(false)
  })

  it('computes in f16', async () => {
    const half = { two: 0x4000, three: 0x4200, oneAndAHalf: 0x3e00 }
    const job: Job = {
      label: 'f16',
      wgsl: `enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read_write> y: array<f16>;
@compute @workgroup_size(1) fn main() { y[0] = x[0] / x[1]; y[1] = x[0] - 2049h + 2047h; }`,
      entryPoint: 'main',
      layouts: [layout('read-only-storage', 'storage')],
      bindings: [input(0, bytesOf(new Uint16Array([half.three, half.two]))), output(1, sentinel(6))],
      workgroups: [1, 1, 1],
    }
    const bytes = outputOf(await engine.run(job), 0, 1)
    // 3 − 2049 = −2046 and + 2047 = 1; `2049h` itself rounds to 2048, which makes it 2
    expect([...new Uint16Array(bytes.buffer)]).toEqual([half.oneAndAHalf, half.two, 0xa5a5])
  })

  it('refuses immediates, which it cannot set', async () => {
    const job = { ...stores('immediates', 'n', 'var<immediate> n: u32;'), immediates: new Uint8Array(4) }
    expect(errorOf(await engine.run(job)).kind).toBe('unsupported')
  })

  it('leaves all loops of an invocation after 65,535 rounds in total, which is lavapipe’s limit', async () => {
    const rounds = (label: string, body: string) =>
      stores(label, 'rounds()', `fn rounds() -> u32 { var n = 0u; ${body} return n; }`)
    const nested = 'for (var i = 0u; i < 300; i++) { for (var j = 0u; j < 300; j++) { n++; } }'
    const results = await engine.runMany([
      rounds('65,000', 'loop { if n >= 65000 { break; } n++; }'),
      rounds('70,000', 'loop { if n >= 70000 { break; } n++; }'),
      rounds('300 times 300', nested),
      rounds('40,000 and 40,000', 'loop { if n >= 40000 { break; } n++; } loop { if n >= 80000 { break; } n++; }'),
    ])
    expect(results.map((result) => asU32(outputOf(result, 0, 0))[0])).toEqual([65_000, 65_535, 65_101, 65_534])
  })

  it('names the case that makes naga panic, and finishes the others', async () => {
    const jobs = [stores('before', '1'), elementPointer('&arr[i] as an argument'), stores('behind', '2')]
    const [before, culprit, behind] = await engine.runMany(jobs)
    expect(culprit?.label).toBe('&arr[i] as an argument')
    const error = errorOf(culprit as Result)
    expect(error.kind).toBe('died')
    expect(error.text).toContain('panicked')
    expect(asU32(outputOf(before as Result, 0, 0))).toEqual([1])
    expect(asU32(outputOf(behind as Result, 0, 0))).toEqual([2])
  })
})
