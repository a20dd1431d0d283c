// A weft kernel inside a TypeGPU app:  node scripts/run-ts.mjs examples/typegpu/main.ts
//
// The app owns the device, the buffer and a pipeline of its own; weft moves the particles. Both work on one buffer,
// described by one schema, and nothing is copied between them.

import { compile } from '@weft/codegen'
import { openGpu } from '@weft/runtime/node'
import { createRuntime } from '@weft/runtime/typegpu'
import { tgpu } from 'typegpu'
import * as d from 'typegpu/data'
import { globals } from 'webgpu'
import { Particle, step } from './step'

// In a browser these five lines are one: const root = await tgpu.init()
Object.assign(globalThis, globals)
const gpu = await openGpu()
const device = await (await gpu.requestAdapter())?.requestDevice()
if (!device) throw new Error('there is no WebGPU adapter here: apt-get install chromium brings a software one')
const root = tgpu.initFromDevice({ device })

const n = 1000
const start = Array.from({ length: n }, (_, i) => ({ position: d.vec3f(0, 1 + (i % 7), 0), velocity: d.vec3f() }))
const particles = root.createBuffer(d.arrayOf(Particle, n), start).$usage('storage')

// TypeGPU's part: a gust from the side
const layout = tgpu.bindGroupLayout({ particles: { storage: d.arrayOf(Particle), access: 'mutable' } })
const gust = tgpu.computeFn({ in: { id: d.builtin.globalInvocationId }, workgroupSize: [64] })`{
  if (in.id.x < arrayLength(&layout.$.particles)) {
    layout.$.particles[in.id.x].velocity += vec3f(1, 0, 0);
  }
}`.$uses({ layout })
const blow = root.createComputePipeline({ compute: gust }).with(root.createBindGroup(layout, { particles }))

// weft's part, on the same device
const runtime = await createRuntime({ root, gpu })
const move = runtime.load(compile(step))
await move.compile()

blow.dispatchWorkgroups(Math.ceil(n / 64))
for (let i = 0; i < 100; i++) void move({ particles, n, dt: 0.01 })
const moved = await runtime.read(particles)

console.log(`${n} particles on ${runtime.info.adapter}, after 1 s:`)
for (const i of [0, 1, 2]) {
  const { x = 0, y = 0, z = 0 } = moved[i]?.position ?? {}
  console.log(`  ${i}: (${x.toFixed(3)}, ${y.toFixed(3)}, ${z.toFixed(3)})`)
}

// the same in float64; 100 steps of f32 lose less than 1e-4 of metres of this size
function expected(y: number): number {
  let v = 0
  for (let i = 0; i < 100; i++) {
    v -= 9.81 * 0.01
    y += v * 0.01
    if (y < 0) [y, v] = [-y, v * -0.5]
  }
  return y
}
moved.forEach(({ position: p }, i) => {
  const error = Math.hypot(p.x - 1, p.y - expected(1 + (i % 7)), p.z)
  if (!(error < 1e-4)) throw new Error(`particle ${i} is ${error} m off`)
})

runtime.destroy() // leaves the root's device alone: the app goes on
await particles.read()
root.destroy()
device.destroy()
