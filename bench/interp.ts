// How fast the CPU interpreter is:
//
//   barrierFreeVsSwiftshader  its time over SwiftShader's on kernels without barriers, the worst of them (SwiftShader's
//                             includes the dispatch and the wait, not the upload nor the readback)
//   matmul128Ms               its time for the tiled matmul at 128 × 128 × 128, in milliseconds
//
// Fastest of interleaved runs, without the compilation of the kernel. `--json` prints one line of JSON.

import { maxError } from '../packages/kernels/src/testing'
import { read } from './lib/buffers'
import { runJobs, summarize, timeInterleaved } from './lib/job'
import { openDevice } from './lib/swiftshader'
import { barrierFree, interpreted, job, matmul128 } from './weft/interp'

const RUNS = 20

const stopwatch = (work: () => unknown): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}

function expectClose(name: string, actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  const { relative } = maxError(actual, expected)
  if (!(relative < 1e-5)) throw new Error(`${name} is wrong: relative error ${relative.toExponential(1)}`)
}

interface Row {
  readonly name: string
  readonly interpMs: number
  readonly swiftshaderMs: number
  readonly ratio: number
}

async function compare(device: GPUDevice, dispatch: (typeof barrierFree)[number]): Promise<Row> {
  const { job: onDevice, result } = await job(device, dispatch)
  const interpret = interpreted(dispatch)
  await runJobs(device, onDevice)
  const expected = interpret()
  expectClose(dispatch.source.name, (await read(device, result)).subarray(0, expected.length), expected)
  const times = { interp: [] as number[], swiftshader: [] as number[] }
  for (let run = 0; run < RUNS; run++) {
    times.interp.push(stopwatch(interpret))
    times.swiftshader.push((await timeInterleaved(device, [onDevice], 1))[0]!.min)
  }
  const [interpMs, swiftshaderMs] = [summarize(times.interp).min, summarize(times.swiftshader).min]
  return { name: dispatch.source.name, interpMs, swiftshaderMs, ratio: interpMs / swiftshaderMs }
}

const device = await openDevice('swiftshader')
const rows: Row[] = []
for (const dispatch of barrierFree) rows.push(await compare(device, dispatch))

const tiled = matmul128()
expectClose('the tiled matmul', tiled.interpret(), tiled.expected)
const matmul128Ms = Math.min(...Array.from({ length: RUNS }, () => stopwatch(tiled.interpret)))

const rounded = (value: number) => Number(value.toPrecision(4))
const result = {
  barrierFreeVsSwiftshader: rounded(Math.max(...rows.map((row) => row.ratio))),
  matmul128Ms: rounded(matmul128Ms),
}
if (process.argv.includes('--json')) console.log(JSON.stringify(result))
else {
  for (const { name, interpMs, swiftshaderMs, ratio } of rows) {
    console.log(
      `${name.padEnd(14)} interpreter ${interpMs.toFixed(1)} ms, SwiftShader ${swiftshaderMs.toFixed(1)} ms: ${ratio.toFixed(2)}×`,
    )
  }
  console.log(`interpreter, tiled matmul 128×128×128: ${result.matmul128Ms} ms`)
}
process.exit()
