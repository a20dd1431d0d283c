import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  affine,
  asF32,
  asU32,
  bytesOf,
  elementPointer,
  endless,
  input,
  layout,
  output,
  SENTINEL,
  sentinel,
  stores,
} from './cases.js'
import { openDawn } from './dawn.js'
import { type Engine, type EngineError, type Job, outputOf, type Result } from './engine.js'
import { missing } from './install.js'
import { openWgpu } from './wgpu.js'

const errorOf = (result: Result): EngineError => {
  if (result.ok) throw new Error(`${result.label}: succeeded`)
  return result.error
}

/** What holds for both engines. */
function behaves(name: Engine['name'], open: () => Promise<Engine>): void {
  const why = missing(name)
  const title = why === undefined ? name : `${name} (skipped: ${why})`
  describe.skipIf(why !== undefined)(title, () => {
    let engine: Engine
    beforeAll(async () => {
      engine = await open()
    })
    afterAll(() => engine?.close())

    it.each([1, 3, 63, 64, 65, 257, 1000])('writes %i elements and nothing else', async (n) => {
      const values = Array.from({ length: n + 5 }, (_, i) => i - 7)
      const bytes = outputOf(await engine.run(affine(`affine ${n}`, values, n)), 0, 1)
      expect(asF32(bytes).slice(0, n)).toEqual(values.slice(0, n).map((x) => 2 * x + 1))
      expect(bytes.subarray(4 * n)).toEqual(sentinel(20))
    })

    it('gives many results in the order of their jobs', async () => {
      const jobs = Array.from({ length: 100 }, (_, i) => stores(`store ${i}`, `${i}u * 3`))
      const seen: number[] = []
      const results = await engine.runMany(jobs, (_result, index) => seen.push(index))
      expect(results.map((result) => asU32(outputOf(result, 0, 0))[0])).toEqual(jobs.map((_, i) => i * 3))
      expect(seen.sort((a, b) => a - b)).toEqual(jobs.map((_, i) => i))
    })

    it('uses fresh buffers for each job', async () => {
      const job: Job = { ...stores('one of three', '7'), bindings: [output(0, sentinel(12))] }
      for (const result of await engine.runMany([job, job])) {
        expect(asU32(outputOf(result, 0, 0))).toEqual([7, 0xa5a5a5a5, 0xa5a5a5a5])
      }
    })

    it('pads a buffer to 4 bytes and gives back its own length', async () => {
      const job: Job = { ...stores('odd', '0x04030201'), bindings: [output(0, sentinel(7))] }
      expect([...outputOf(await engine.run(job), 0, 0)]).toEqual([1, 2, 3, 4, SENTINEL, SENTINEL, SENTINEL])
    })

    it('binds a range of a buffer', async () => {
      const whole = { ...output(0, sentinel(512 + 8)), offset: 256, size: 4 }
      const bytes = outputOf(await engine.run({ ...stores('range', '9'), bindings: [whole] }), 0, 0)
      expect(asU32(bytes).flatMap((x, i) => (x === 9 ? [i] : []))).toEqual([64])
    })

    it('sets overrides', async () => {
      const job: Job = { ...stores('override', 'n * 2', 'override n: u32 = 1;'), constants: { n: 21 } }
      expect(asU32(outputOf(await engine.run(job), 0, 0))).toEqual([42])
    })

    it('reads and writes textures', async () => {
      const job: Job = {
        label: 'texture',
        wgsl: `
@group(0) @binding(0) var source: texture_2d<u32>;
@group(0) @binding(1) var target_: texture_storage_2d<r32uint, write>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
  textureStore(target_, id.xy, textureLoad(source, id.xy, 0) + 1);
}`,
        entryPoint: 'main',
        layouts: [
          {
            entries: [
              { binding: 0, visibility: 4, texture: { sampleType: 'uint' } },
              { binding: 1, visibility: 4, storageTexture: { format: 'r32uint', access: 'write-only' } },
            ],
          },
        ],
        bindings: [
          {
            group: 0,
            binding: 0,
            kind: 'texture',
            format: 'r32uint',
            size: [3, 2, 1],
            bytesPerTexel: 4,
            bytes: bytesOf(new Uint32Array([1, 2, 3, 4, 5, 6])),
          },
          {
            group: 0,
            binding: 1,
            kind: 'texture',
            format: 'r32uint',
            size: [3, 2, 1],
            bytesPerTexel: 4,
            use: 'storage',
            readback: true,
          },
        ],
        workgroups: [3, 2, 1],
      }
      expect(asU32(outputOf(await engine.run(job), 0, 1))).toEqual([2, 3, 4, 5, 6, 7])
    })

    it('says where a module is not valid', async () => {
      const error = errorOf(await engine.run(stores('no such name', 'missing')))
      expect(error.kind).toBe('compile')
      expect(error.messages[0]).toMatchObject({ severity: 'error', line: 3, column: 50 })
      expect(error.messages[0]?.text).toContain('missing')
    })

    it('refuses a layout that does not fit the module', async () => {
      const error = errorOf(await engine.run({ ...stores('layout', '1'), layouts: [layout('read-only-storage')] }))
      expect(error.kind).toBe('validation')
    })

    it('refuses an entry point that does not exist', async () => {
      expect(errorOf(await engine.run({ ...stores('entry', '1'), entryPoint: 'other' })).kind).toBe('validation')
    })

    it('refuses missing bindings, short buffers and too many workgroups', async () => {
      const job = stores('bad dispatch', '1')
      const fewer = await engine.run({ ...job, bindings: [] })
      const far = await engine.run({ ...job, bindings: [{ ...output(0, sentinel(8)), offset: 256 }] })
      const many = await engine.run({ ...job, workgroups: [65_536, 1, 1] })
      for (const result of [fewer, far, many]) expect(errorOf(result).kind).toBe('validation')
      expect((await engine.run(job)).ok).toBe(true)
    })

    it('keeps the error of one job from the others in flight', async () => {
      const jobs = Array.from({ length: 30 }, (_, i) => stores(`mixed ${i}`, i % 3 === 0 ? `bad${i}` : `${i}u`))
      const results = await engine.runMany(jobs)
      expect(results.map((result) => result.ok)).toEqual(jobs.map((_, i) => i % 3 !== 0))
    })

    it('starts a killed worker again and names the case that was alone in it', async () => {
      const before = engine.pid()
      const running = engine.run({ ...endless('endless and killed'), timeoutMs: 60_000 })
      setTimeout(() => process.kill(before ?? 0, 'SIGKILL'), 500)
      const result = await running
      expect(result.label).toBe('endless and killed')
      expect(errorOf(result).kind).toBe('died')
      expect((await engine.run(stores('after', '1'))).ok).toBe(true)
      expect(engine.pid()).not.toBe(before)
    })

    it('ends a job that does not end, and finishes the others', async () => {
      const jobs = [stores('first', '1'), endless('endless'), stores('last', '3')]
      const results = await engine.runMany(jobs)
      expect(errorOf(results[1] as Result)).toMatchObject({ kind: 'timeout', text: 'no answer within 1500 ms' })
      expect([results[0], results[2]].map((result) => result?.ok)).toEqual([true, true])
    })
  })
}

behaves('dawn', openDawn)
behaves('wgpu', openWgpu)

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
