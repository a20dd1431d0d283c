// Kernels of the library on your own data:  node scripts/run-ts.mjs examples/library.ts
//
// rmsnorm and then softmax over the rows of a matrix, without a readback in between.

import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { rmsnorm, softmax } from '@weft/kernels/source'
import { createRuntime } from '@weft/runtime/node'

const [rows, cols] = [4, 1000]
const runtime = await createRuntime().catch(() => createRuntime({ device: cpu() }))
const x = runtime.buffer(Float32Array.from({ length: rows * cols }, (_, i) => Math.sin(i)))
const weight = runtime.buffer(new Float32Array(cols).fill(1))
const normal = runtime.buffer(Float32Array, rows * cols)
const probabilities = runtime.buffer(Float32Array, rows * cols)

// calls take effect in their order; only the read waits
void runtime.run(compile(rmsnorm), { x, weight, y: normal, rows, cols, eps: 1e-5 })
void runtime.run(compile(softmax), { x: normal, y: probabilities, rows, cols })
const result = await probabilities.read()
console.log(`${rows} × ${cols} on ${runtime.info.adapter}`)
runtime.destroy()

for (let row = 0; row < rows; row++) {
  const sum = result.subarray(row * cols, (row + 1) * cols).reduce((total, p) => total + p, 0)
  console.log(`row ${row}: Σ p = ${sum.toFixed(6)}`)
  if (!(Math.abs(sum - 1) < 1e-4)) throw new Error(`row ${row} sums to ${sum}`)
}
