// How fast the CPU interpreter is:
//
//   barrierFreeVsSwiftshader  its time over SwiftShader's on a kernel without barriers (SwiftShader's includes the
//                             dispatch and the wait, not the upload nor the readback)
//   matmul128Ms               its time for the tiled matmul at 128 × 128 × 128, in milliseconds
//
// Fastest of interleaved runs, without the compilation of the kernel. `--json` prints one line of JSON.

import { maxError } from '../packages/kernels/src/testing'
import { read } from './lib/buffers'
import { type Job, summarize, timeInterleaved } from './lib/job'
import { openDevice } from './lib/swiftshader'

const RUNS = 20

/** What bench/weft brings: kernels that are compiled already, with their inputs. */
export interface InterpCases {
  /** the same dispatch on the device (its output in `result`, from the front) and on the interpreter */
  barrierFree(device: GPUDevice): Promise<{ job: Job; result: GPUBuffer; interpret(): Float32Array }>
  /** one run of the tiled matmul at 128³ on the interpreter, and what it should give */
  matmul128(): { interpret(): Float32Array; expected: Float64Array }
}

// TODO: import { interpCases } from './weft/…' in place of this line
const cases = undefined as InterpCases | undefined

function interpreted(interpret: () => Float32Array, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now()
    interpret()
    return performance.now() - start
  })
  return summarize(times).min
}

function expectClose(name: string, actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  const { relative } = maxError(actual, expected)
  if (!(relative < 1e-5)) throw new Error(`${name} is wrong: relative error ${relative.toExponential(1)}`)
}

async function barrierFree({ barrierFree }: InterpCases): Promise<number> {
  const device = await openDevice('swiftshader')
  const { job, result, interpret } = await barrierFree(device)
  await timeInterleaved(device, [job], 1)
  const expected = interpret()
  expectClose('the kernel without barriers', (await read(device, result)).subarray(0, expected.length), expected)
  const interp: number[] = []
  const swiftshader: number[] = []
  for (let run = 0; run < RUNS; run++) {
    interp.push(interpreted(interpret, 1))
    swiftshader.push((await timeInterleaved(device, [job], 1))[0]!.min)
  }
  return summarize(interp).min / summarize(swiftshader).min
}

function matmul128({ matmul128 }: InterpCases): number {
  const { interpret, expected } = matmul128()
  expectClose('the tiled matmul', interpret(), expected)
  return interpreted(interpret, RUNS)
}

const rounded = (value: number) => Number(value.toPrecision(4))
const result = {
  barrierFreeVsSwiftshader: cases === undefined ? null : rounded(await barrierFree(cases)),
  matmul128Ms: cases === undefined ? null : rounded(matmul128(cases)),
}
if (process.argv.includes('--json')) console.log(JSON.stringify(result))
else {
  console.log(`interpreter / SwiftShader, kernel without barriers: ${result.barrierFreeVsSwiftshader ?? '–'}`)
  console.log(`interpreter, tiled matmul 128×128×128: ${result.matmul128Ms ?? '–'} ms`)
}
process.exit(0)
