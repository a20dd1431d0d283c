/**
 * What the test runs inside the page, step by step: `weft.create()`, `weft.run()`, … Each gives plain data. It is
 * bundled for a browser: what it imports needs nothing of Node.
 */
import { createRuntime, type Runtime, type WeftError } from '@weft/runtime'
import { profiler } from '@weft/runtime/profile'
import { accumulate, affine, counting, fill } from '../runtime/kernels.js'

let runtime: Runtime
let pending: Promise<string>[] = []

/** Waits from the start, so that no rejection is unhandled for a while. */
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: WeftError) => `${error.code}: ${error.message.split('\n')[0]?.slice(error.code.length + 2)}`,
  )

export async function create() {
  runtime = await createRuntime()
  const { backend, software, features, limits, languageFeatures } = runtime.info
  return { backend, software, features, languageFeatures, bindable: limits.maxStorageBufferBindingSize }
}

/** Odd sizes, uploads of odd bytes, launches that nobody awaits, and a batch. */
export async function run() {
  const n = 1001
  const [x, sum] = [runtime.buffer(counting(n)), runtime.buffer(Uint32Array, n)]
  const submits = runtime.stats.submits
  await runtime.batch(async () => {
    for (let i = 0; i < 10; i++) void runtime.run(accumulate, { x, sum, n })
    x.write(Uint8Array.of(255), 4 * 5 + 1) // 5 becomes 5 + 255 · 256
    for (let i = 0; i < 10; i++) void runtime.run(accumulate, { x, sum, n })
  })
  const [[first], all] = await runtime.readMany([x, sum])
  return { submits: runtime.stats.submits - submits, first, at5: all[5], last: all[n - 1] }
}

/** Steps of a loop: two prepared dispatches and a read, replayed with another param each time. */
export async function replay() {
  const n = 300
  const [x, y, sum] = [runtime.buffer(counting(n)), runtime.buffer(Uint32Array, n), runtime.buffer(Uint32Array, n)]
  const scale = await runtime.prepare(affine, { x, y, n, a: 1, b: 0 })
  const add = await runtime.prepare(accumulate, { x: y, sum, n })
  using recording = runtime.record((r) => {
    r.dispatch(scale).dispatch(add)
    return [r.read(sum, Uint32Array, { offset: 4 * 7, size: 4 })]
  })
  const submits = runtime.stats.submits
  const seen: number[] = []
  for (let b = 1; b <= 5; b++) {
    scale.set({ b })
    const [[value = Number.NaN]] = await recording.replay()
    seen.push(value)
  }
  const used = runtime.stats.submits - submits
  y.destroy()
  return { seen, submits: used, stale: await codeOf(recording.replay()) }
}

export async function profile() {
  using measured = profiler(runtime)
  const out = runtime.buffer(Uint32Array, 100_000)
  for (let value = 0; value < 5; value++) await runtime.run(fill, { out, n: 100_000, value })
  const { clock, dispatches, kernels } = await measured.summary()
  const { traceEvents } = await measured.trace()
  const names = kernels.map(({ name }) => name)
  return { clock, dispatches, names, events: traceEvents.length, report: await measured.report() }
}

/** Work and a readback under way when the page itself destroys the device. */
export function destroyInFlight(): void {
  const out = runtime.buffer(Uint32Array, 1000)
  const x = runtime.buffer(counting(1000))
  pending = [runtime.run(affine, { x, y: out, n: 1000, a: 2, b: 1 }), out.read(), runtime.idle()].map(codeOf)
  runtime.device?.destroy()
}

/** Work and readbacks without an end, for a loss from outside to meet. */
export function keepBusy(): void {
  const out = runtime.buffer(Uint32Array, 1000)
  const forever = async () => {
    for (let value = 0; ; value++) {
      void runtime.run(fill, { out, n: 1000, value })
      await out.read()
    }
  }
  pending = [codeOf(forever())]
}

export async function afterLoss() {
  const codes = await Promise.all(pending)
  await runtime.device?.lost
  const out = codeOf(Promise.resolve().then(() => runtime.run(fill, {} as never)))
  return {
    codes,
    later: await out,
    buffer: await codeOf(Promise.resolve().then(() => runtime.buffer(Uint32Array, 1))),
    lost: runtime.lost?.message,
    pipelines: runtime.stats.pipelines.entries,
  }
}

/** Another runtime, with the same compiled kernels. */
export async function recover() {
  runtime.destroy()
  for (let attempt = 0; ; attempt++) {
    try {
      runtime = await createRuntime()
      break
    } catch (error) {
      // a browser whose GPU process has ended needs a moment for the next one
      if (attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const out = runtime.buffer(Uint32Array, 3)
  await runtime.run(fill, { out, n: 3, value: 42 })
  return [...(await out.read())]
}
