// The library beside its peers on a software GPU (SwiftShader), in one process: what a machine without a GPU sees.
//
//   npm run bench:cpu -- [--json] [--samples N]
//
//   matmulVsJax, matmulVsTfjs, matmulVsOrt   their time over ours for f32 512 × 512 × 512
//   softmaxVsBestPeer                        the fastest peer's time over ours for 1,024 rows of 1,024
//
// Wall clock, from the call to the completion of the queue; medians of interleaved runs. Every result is checked against
// float64. Ours are the functions `matmul` and `softmax` as a consumer calls them. SwiftShader likes other kernels than GPUs
// do: nothing follows from this for a GPU.

import { parseArgs } from 'node:util'
import type { Stopwatch } from '../gpu/contest'
import { type Lab, openLab } from '../gpu/lab'
import { measure, type Row } from '../gpu/measure'
import { loadPeers } from '../gpu/peers'
import { matmulContest, softmaxContest } from './contests'

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, samples: { type: 'string', default: '15' } },
})

process.env.VK_ICD_FILENAMES ??= '/usr/lib/chromium/vk_swiftshader_icd.json' // Debian's package `chromium`

function wallClock({ device }: Lab): Stopwatch {
  return {
    time: async (work) => {
      await device.queue.onSubmittedWorkDone()
      const start = performance.now()
      await work()
      await device.queue.onSubmittedWorkDone()
      return performance.now() - start
    },
  }
}

const opened = await openLab()
const lab: Lab = { ...opened, clock: wallClock(opened) }
if (!lab.machine.software) console.error(`this is no software adapter: ${lab.machine.name}`)
const { peers, absent } = await loadPeers(lab, 'ort,tfjs,jax')
for (const { peer, reason } of absent) console.error(`without ${peer}: ${reason}`)

// short runs are repeated within a sample: on a machine that is busy otherwise, each of them is cut into slices or is not
const measuring = { samples: Number(options.samples), warmMs: 0, sampleMs: 150, waitMs: 300_000 }
const matmul = await measure(lab, 'cpu', matmulContest(512), peers, measuring)
const softmax = await measure(lab, 'cpu', softmaxContest(1024), peers, measuring)

const timeOf = (rows: readonly Row[], name: string): number =>
  rows.find(({ entry }) => entry.startsWith(name))?.ms ?? Number.NaN
const ratio = (theirs: number, ours: number): number => Number((theirs / ours).toPrecision(3))
const ours = timeOf(matmul, 'weft')
const others = softmax.filter(({ peer, ms }) => peer && ms !== undefined)
const result = {
  matmulVsJax: ratio(timeOf(matmul, 'jax-js'), ours),
  matmulVsTfjs: ratio(timeOf(matmul, 'tfjs'), ours),
  matmulVsOrt: ratio(timeOf(matmul, 'onnxruntime'), ours),
  softmaxVsBestPeer: ratio(Math.min(...others.map(({ ms = Number.NaN }) => ms)), timeOf(softmax, 'weft')),
}

if (options.json) console.log(JSON.stringify({ ...result, rows: [...matmul, ...softmax] }))
else {
  console.log(lab.machine.name)
  for (const { contest, entry, ms, p10, p90, error, failed } of [...matmul, ...softmax]) {
    const figures =
      failed ??
      `${ms?.toFixed(2)} ms (${p10?.toFixed(2)} to ${p90?.toFixed(2)})  error ${error?.toPrecision(2)} of its bound`
    console.log(`${contest.padEnd(32)} ${entry.padEnd(24)} ${figures}`)
  }
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(20)} ${value}`)
}
process.exit(Object.values(result).every(Number.isFinite) ? 0 : 1)
