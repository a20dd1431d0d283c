// Run by a test in a process of its own, since a process has one set of options for Dawn: kernels of the library and of the
// tests without the device's bounds checks, in ranges with guard words behind. Prints what was wrong, as JSON.
import { compile } from '@weft/codegen'
import { matmul, softmax } from '@weft/kernels/source'
import { createRuntime } from '@weft/runtime/node'
import { affine, counting } from './kernels'

const GUARDS = 64
const SENTINEL = 777
const runtime = await createRuntime({ dawn: ['enable-dawn-features=disable_robustness'] })
const found = { wrong: 0, elements: 0, guards: 0 }

/** `length` elements to write, whatever follows them being the guards. */
async function guarded(
  length: number,
  run: (out: unknown) => Promise<void>,
  expected: (i: number) => number,
): Promise<void> {
  const out = runtime.buffer(new Float32Array(length + GUARDS).fill(SENTINEL))
  await run(out.range(0, 4 * length))
  for (const [i, value] of (await out.read()).entries()) {
    if (i < length) found.elements++
    else found.guards++
    if (!(Math.abs(value - (i < length ? expected(i) : SENTINEL)) < 1e-4)) found.wrong++
  }
}

const [m, n, k] = [5, 9, 7]
const [a, b] = [
  Float32Array.from({ length: m * k }, (_, i) => i % 5),
  Float32Array.from({ length: k * n }, (_, i) => i % 3),
]
const product = (i: number) => {
  let sum = 0
  for (let j = 0; j < k; j++) sum += (a[Math.floor(i / n) * k + j] as number) * (b[j * n + (i % n)] as number)
  return sum
}
await guarded(
  m * n,
  (c) => runtime.run(compile(matmul), { a: runtime.buffer(a), b: runtime.buffer(b), c, m, n, k } as never),
  product,
)

const [rows, cols] = [3, 13]
await guarded(
  rows * cols,
  (y) => runtime.run(compile(softmax), { x: runtime.buffer(new Float32Array(rows * cols)), y, rows, cols } as never),
  () => 1 / cols,
)

const bits = new Uint32Array(new Float32Array([1]).buffer)[0] as number
await guarded(
  100,
  (y) => runtime.run(affine, { x: runtime.buffer(counting(100)), y, n: 100, a: 0, b: bits } as never),
  () => 1,
)

console.log(JSON.stringify(found))
runtime.destroy()
