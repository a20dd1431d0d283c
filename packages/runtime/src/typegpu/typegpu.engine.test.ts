import { tgpu } from 'typegpu'
import * as d from 'typegpu/data'
import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest'
import { failure } from '../testing/expect'
import { fill, fixture, increment, linear, saxpy } from '../testing/fixtures'
import { device, gpu, runtime as other } from '../testing/gpu'
import { createRuntime, type TypegpuRuntime } from './index'

const Particle = d.struct({ position: d.vec3f, mass: d.f32 })

gpu('a runtime of a TypeGPU root', () => {
  let root: ReturnType<typeof tgpu.initFromDevice>
  let runtime: TypegpuRuntime

  beforeAll(async () => {
    Object.assign(globalThis, (await import('webgpu')).globals) // TypeGPU wants the constants
    root = tgpu.initFromDevice({ device })
    runtime = await createRuntime({ root })
  })
  afterAll(() => runtime?.destroy())

  const floats = (n: number) => root.createBuffer(d.arrayOf(d.f32, n), Array(n).fill(1)).$usage('storage')

  it('binds buffers, fixed bindings and ranges of them', async () => {
    const [x, y] = [floats(128), root.createMutable(d.arrayOf(d.f32, 4), [10, 20, 30, 40])]
    await runtime.run(saxpy, { x: { buffer: x, offset: 256, size: 16 }, y, n: 4, a: 2 })
    expect(await runtime.read(y.buffer)).toEqual([12, 22, 32, 42])
    expect(runtime.device).toBe(device)
  })

  it('reads and writes by schema, in the order of the launches', async () => {
    const particles = root.createBuffer(d.arrayOf(Particle, 2)).$usage('storage')
    const move = fixture({
      name: 'move',
      bindings: { particles: 'read_write array<vec4f>' },
      launch: linear(1),
      workgroupSize: 1,
      body: '  for (var i = 0u; i < 2u; i++) { particles[i] += vec4f(particles[i].www, 0); }',
    })
    runtime.write(particles, [
      { position: d.vec3f(1, 2, 3), mass: 1 },
      { position: d.vec3f(4, 5, 6), mass: 2 },
    ])
    void runtime.run(move, { particles })
    const early = runtime.read(particles)
    runtime.write(particles, Float32Array.of(0), 0)
    expectTypeOf(early).toEqualTypeOf<Promise<{ position: d.v3f; mass: number }[]>>()
    expect(await early).toEqual([
      { position: d.vec3f(2, 3, 4), mass: 1 },
      { position: d.vec3f(6, 7, 8), mass: 2 },
    ])
    expect(await runtime.read(particles, Float32Array, { size: 16 })).toEqual(Float32Array.of(0, 3, 4, 1))
    expect(await particles.read()).toEqual(await runtime.read(particles))
  })

  it('shares them with pipelines of TypeGPU', async () => {
    const [x, out] = [root.createBuffer(d.arrayOf(d.u32, 4)).$usage('storage'), root.createMutable(d.arrayOf(d.u32, 4))]
    x.write([1, 2, 3, 4])
    await runtime.run(increment, { x, out, n: 4 })
    const layout = tgpu.bindGroupLayout({ out: { storage: d.arrayOf(d.u32, 4), access: 'mutable' } })
    const group = root.createBindGroup(layout, { out: out.buffer })
    const module = device.createShaderModule({
      code: '@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>; @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] *= 10u; }',
    })
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [root.unwrap(layout)] }),
      compute: { module },
    })
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    pass.setBindGroup(0, root.unwrap(group))
    pass.dispatchWorkgroups(1)
    pass.end()
    device.queue.submit([encoder.finish()])
    await runtime.run(increment, { x: out, out: x, n: 4 })
    expect(await runtime.read(x)).toEqual([21, 31, 41, 51])
  })

  it('says what is missing', async () => {
    const x = floats(4)
    const bare = root.createBuffer(d.arrayOf(d.f32, 4))
    const e = await failure('binding-type', () => runtime.run(saxpy, { x, y: bare, n: 4, a: 1 }))
    expect(e.message).toBe(
      "binding-type: 'saxpy': 'y' is a GPUBuffer without STORAGE usage\n  note: declare it before its first use: root.createBuffer(…).$usage('storage')",
    )
    const uniform = fixture({
      name: 'u',
      bindings: { v: 'uniform vec4f', out: 'write array<f32>' },
      body: '',
      launch: linear(1),
    })
    const v = root.createBuffer(d.vec4f).$usage('storage')
    const without = await failure('binding-type', () => runtime.run(uniform, { v, out: x }))
    expect(without.message).toContain(
      "without UNIFORM usage\n  note: declare it before its first use: root.createBuffer(…).$usage('uniform')",
    )
    await failure('binding-overlap', () => runtime.run(saxpy, { x, y: x, n: 4, a: 1 }))
    await failure('binding-size', () => runtime.run(saxpy, { x: { buffer: x, offset: 4 }, y: floats(4), n: 3, a: 1 }))
    x.destroy()
    const gone = await failure('buffer-destroyed', () => runtime.run(saxpy, { x, y: floats(4), n: 4, a: 1 }))
    expect(gone.message).toBe("buffer-destroyed: 'saxpy': 'x' is a TypeGPU buffer that was destroyed")
    await failure('buffer-data', () => runtime.write(floats(3), [1, 2]))
    const raw = device.createBuffer({ size: 16, usage: 0x80 | 4 | 8 })
    const schemaless = await failure('bad-argument', () => runtime.read(raw as never))
    expect(schemaless.message).toContain('has no schema to read it by\n  note: name a kind of array')
    await failure('bad-argument', () => createRuntime({ root: device as never }))
    const unknown = await failure('bad-argument', () => createRuntime({ root, device } as never))
    expect(unknown.message).toContain(
      "createRuntime knows no option 'device'\n  note: its options are 'root', 'gpu', 'memory'",
    )
  })

  it('prepares, records and replays with them, and takes the options of other runtimes', async () => {
    const own = await createRuntime({ root, passes: 'each', maxDispatchesPerSubmit: 2 })
    const [x, out] = [root.createReadonly(d.arrayOf(d.u32, 4), [1, 2, 3, 4]), root.createMutable(d.arrayOf(d.u32, 4))]
    const step = await own.prepare(increment, { x, out, n: 4 }, { patch: ['x'] })
    const recording = own.record((r) => {
      r.dispatch(step)
      return [r.read(out, Uint32Array)]
    })
    const [first] = await recording.replay()
    step.bind({ x: root.createReadonly(d.arrayOf(d.u32, 4), [10, 20, 30, 40]) })
    const [second] = await recording.replay()
    expect([...first, ...second]).toEqual([2, 3, 4, 5, 11, 21, 31, 41])
    const { submits } = own.stats
    await own.batch(() => {
      for (let i = 0; i < 4; i++) void step.run()
    })
    expect(own.stats.submits - submits).toBe(2)
    own.destroy()
  })

  it('leaves the device to the root', async () => {
    const own = await createRuntime({ root })
    const out = root.createMutable(d.arrayOf(d.u32, 2))
    own.destroy()
    await failure('device-lost', () => own.run(fill, { out, n: 2, value: 1 }))
    await runtime.run(fill, { out, n: 2, value: 7 })
    await other.run(fill, { out: out.buffer, n: 1, value: 8 })
    expect(await out.read()).toEqual([8, 7])
  })
})
