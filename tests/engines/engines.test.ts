import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { affine, asF32, asU32, bytesOf, endless, layout, output, SENTINEL, sentinel, stores } from './cases.js'
import { openDawn } from './dawn.js'
import { type Engine, errorOf, type Job, outputOf, type Result } from './engine.js'
import { missing } from './install.js'
import { openWgpu } from './wgpu.js'

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
