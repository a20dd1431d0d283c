// A kernel from its declaration to a result:  node scripts/run-ts.mjs examples/author.ts
//
// One declaration gives the WGSL, the bind-group layout that fits it, and the types of its arguments.

import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { ceilDiv, d, f32, func, input, kernel, output } from '@weft/dsl'
import { createRuntime } from '@weft/runtime/node'

/** A real WGSL function, called where it is applied: x · sigmoid(x). */
const silu = func('silu(x)', [f32], (x) => f32`${x} / (1 + exp(-${x}))`)

/** y[i] = silu(x[i]) · gate[i]: the gated activation of many language models. */
export const swiglu = kernel(
  'swiglu',
  {
    workgroupSize: [64],
    bindings: { x: input(d.arrayOf(d.f32)), gate: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, 64)],
  },
  ({ x, gate, y, n }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => y.at(i).set(silu(x.at(i)).mul(gate.at(i))))
  },
)

const compiled = compile(swiglu)
console.log(compiled.variants.at(-1)?.wgsl)

// the interpreter stands in for a device wherever there is none, tests included
const runtime = await createRuntime().catch(() => createRuntime({ device: cpu() }))
const x = Float32Array.of(-2, -1, 0, 1, 2)
const y = runtime.buffer(Float32Array, x.length)
await runtime.run(compiled, { x: runtime.buffer(x), gate: runtime.buffer(new Float32Array(5).fill(2)), y, n: x.length })
const result = await y.read()
console.log(`on ${runtime.info.adapter}: ${[...result].map((v) => v.toFixed(4)).join(', ')}`)
runtime.destroy()

x.forEach((v, i) => {
  const expected = (2 * v) / (1 + Math.exp(-v))
  if (!(Math.abs((result[i] ?? Number.NaN) - expected) < 1e-5))
    throw new Error(`y[${i}] is ${result[i]}, expected ${expected}`)
})
