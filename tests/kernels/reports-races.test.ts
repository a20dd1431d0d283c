import { binary, casts } from '@weft/kernels/source'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, Job } from '../engines/engine.js'
import { missing } from '../engines/install.js'
import { openWgpu } from '../engines/wgpu.js'
import type { ParityCase } from '../parity/case.js'
import { f16sOf } from '../parity/data.js'
import { planOf } from '../parity/run.js'
import { emptyHalfOutput, filledHalf, shipped } from './outputs.js'

/** Elements of f16 that share a word, each stored by an invocation of its own, again and again on an engine that has f16. */

const TIMES = 50
const why = missing('wgpu')

const kernelOf = (name: string) => [...casts, ...binary].find((kernel) => kernel.name === name)!

function castCase(n: number): ParityCase {
  const x = Float32Array.from({ length: n }, (_, i) => i % 2048)
  return shipped({
    name: `cast_f32_f16, n = ${n}`,
    kernel: kernelOf('cast_f32_f16'),
    params: { n },
    bindings: { x, out: emptyHalfOutput(n) },
    expect: { out: filledHalf(x) },
  })
}

function addCase(n: number): ParityCase {
  const x = Float32Array.from({ length: n }, (_, i) => i % 1024)
  const data = f16sOf([...x, ...new Array<number>(n % 2).fill(Number.NaN)])
  return shipped({
    name: `add_f16, n = ${n}`,
    kernel: kernelOf('add_f16'),
    params: { n },
    bindings: { x: data, y: data, out: emptyHalfOutput(n) },
    expect: { out: filledHalf(x.map((value) => 2 * value)) },
  })
}

describe.skipIf(why !== undefined)(`races on wgpu${why ? ` (${why})` : ''}`, () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openWgpu()
  })
  afterAll(() => engine.close())

  it.each([
    ['a cast', castCase],
    ['a sum', addCase],
  ])(`[case-C48] no neighbour of a word is lost in ${TIMES} runs: %s`, async (_, caseOf) => {
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 100_003]) {
      const c = caseOf(n)
      const { runs } = planOf(c, { dawn: 'not here', wgpu: engine })
      const jobs = runs.flatMap(({ executor, job }) => (executor === 'wgpu' && job ? [job] : []))
      expect(jobs.length).toBeGreaterThan(0)
      const expected = new Uint8Array((c.expect as { readonly out: Uint16Array }).out.buffer)
      const results = await engine.runMany(jobs.flatMap((job) => new Array<Job>(TIMES).fill(job)))
      for (const result of results) {
        expect(result.ok, `${c.name}: ${JSON.stringify(result)}`).toBe(true)
        if (result.ok) expect(Buffer.compare(result.outputs[0]!.bytes, expected), c.name).toBe(0)
      }
    }
  })
})
