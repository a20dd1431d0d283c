// `npm run soak`: does anything grow? Dispatches with fresh buffers, tensors made and destroyed, runtimes made and
// destroyed, thousands of times; in each decile the time of a step, the heap after a collection, and what is counted.
//
// The device is Dawn's null backend, which does all that a host does and computes nothing, so that a decile takes
// seconds; `--engine swiftshader` computes too, and checks results. `--times 10` does everything ten times as often.

import { parseArgs } from 'node:util'
import { createRuntime, type Runtime } from '@weft/runtime/node'
import { fill, saxpy } from '../packages/runtime/src/testing/fixtures'
import { type Decile, growthOf, soak } from './lib/soak'

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'null' },
    times: { type: 'string', default: '1' },
  },
})
const times = Number(options.times)
if (!Number.isSafeInteger(times) || times < 1 || !['null', 'swiftshader'].includes(options.engine)) {
  console.error('usage: npm run soak [-- --json] [--engine null|swiftshader] [--times N], N a whole number')
  process.exit(2)
}
const computes = options.engine === 'swiftshader'
const dawn = computes ? [] : ['backend=null']
const open = () => createRuntime({ dawn, memory: { maxIdleBytes: 64 * 2 ** 20 } })

/** Sizes of a sequence that grows, in elements: many classes, none of them alone. */
const sizeOf = (i: number): number => 64 + ((i * 97) % 4000)

const counts = ({ stats }: Runtime) => ({
  buffers: stats.buffers.live,
  pool: stats.pool.idle + stats.staging.idle,
  bindGroups: stats.bindGroups.entries,
})

/** A dispatch with two buffers that were not there before; of every tenth nobody destroys the output. */
function dispatches(runtime: Runtime): (i: number) => Promise<void> {
  return async (i) => {
    const n = sizeOf(i)
    const x = runtime.buffer(new Float32Array(n).fill(i))
    const y = runtime.buffer(Float32Array, n)
    const run = runtime.run(saxpy, { x, y, n, a: 2 })
    x.destroy()
    if (i % 1000 === 0) await expectAll(await y.read(), 2 * i)
    if (i % 10 !== 0) y.destroy()
    // a turn of the event loop now and then, as any program has: collected buffers are taken back in it
    if (i % 100 === 99) await new Promise(setImmediate)
    else await run
  }
}

/** Tensors that come and go in no order: half of each cycle's live on into the next one. */
function tensors(runtime: Runtime): (i: number) => Promise<void> {
  let kept: ReturnType<typeof runtime.buffer>[] = []
  return async (i) => {
    const made = Array.from({ length: 20 }, (_, k) => runtime.buffer(Uint32Array, sizeOf(20 * i + k)))
    for (const out of made) void runtime.run(fill, { out, n: 64, value: i })
    const [first] = await runtime.readMany(made.slice(0, 3))
    await expectAll(Float32Array.from((first as Uint32Array).subarray(0, 64)), i)
    for (const old of kept) old.destroy()
    kept = made.filter((_, k) => k % 2 === 0) as typeof kept
    for (const buffer of made) if (!kept.includes(buffer as (typeof kept)[0])) buffer.destroy()
    if (i % 10 === 9) for (const old of kept.splice(0)) old.destroy()
  }
}

/** A device, work on it, and its end; the buffers go with it. */
async function life(i: number): Promise<void> {
  using runtime = await open()
  const out = runtime.buffer(Uint32Array, 1000)
  await runtime.run(fill, { out, n: 1000, value: i })
  await expectAll(Float32Array.from(await out.read()), i)
}

async function expectAll(values: Float32Array, value: number): Promise<void> {
  if (computes && !values.every((v) => v === value)) throw new Error(`expected ${value} everywhere, got ${values}`)
}

async function main(): Promise<number> {
  const runtime = await open()
  const kinds = [
    { name: 'dispatches', steps: 50_000 * times, step: dispatches(runtime) },
    { name: 'tensors', steps: 1_000 * times, step: tensors(runtime) },
    { name: 'runtimes', steps: 100 * times, step: life },
  ]
  const deciles = await soak(
    kinds,
    () => runtime.idle(),
    () => counts(runtime),
  )
  const { time, heap, problems } = growthOf(deciles)
  const live = runtime.stats.buffers.live
  const leaks = live > 0 ? [`${live} buffers are left: ${JSON.stringify(runtime.leaks().slice(0, 3))}`] : []
  runtime.destroy()
  report({
    lastDecileVsFirst: time.dispatches,
    liveBuffers: live,
    heapGrowthBytes: heap,
    time,
    problems: [...problems, ...leaks],
    deciles,
  })
  return problems.length + leaks.length === 0 ? 0 : 1
}

interface Report {
  readonly lastDecileVsFirst: number | undefined
  readonly liveBuffers: number
  readonly heapGrowthBytes: number
  readonly time: Readonly<Record<string, number>>
  readonly problems: readonly string[]
  readonly deciles: readonly Decile[]
}

function report(result: Report): void {
  if (options.json) {
    console.log(JSON.stringify(result))
    return
  }
  const { time, liveBuffers, heapGrowthBytes, problems, deciles } = result
  console.log(
    'Microseconds of processor time for a step; heap after a collection; what there is at the end of each decile.',
  )
  console.table(deciles.map(row))
  for (const [name, ratio] of Object.entries(time)) console.log(`${name}: last decile ${ratio.toFixed(2)} × the first`)
  console.log(`heap ${kib(heapGrowthBytes)} more than after the first decile, ${liveBuffers} buffers left`)
  for (const problem of problems) console.log(`GROWS: ${problem}`)
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`
const row = ({ us, heap, rss, counts }: Decile) => ({
  ...Object.fromEntries(Object.entries(us).map(([name, t]) => [name, t.toFixed(0)])),
  heap: kib(heap),
  rss: kib(rss),
  ...counts,
})

process.exit(await main())
