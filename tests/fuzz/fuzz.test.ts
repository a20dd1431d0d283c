import { afterAll, describe, expect, it } from 'vitest'
import { closeEngines, openEngines } from '../parity/engines.js'
import { validateModules } from '../parity/modules.js'
import { type Batch, describeFailure, runBatch, shrink } from './check.js'

/** The same on each run, since a gate has to give the same answer twice; `npm run fuzz` goes where nobody was before. */
const seed = Number(process.env.WEFT_FUZZ_SEED ?? 20_261_130)
const BATCHES = 3
const SIZE = 100
/** Modules of the first kernels of each batch also go through Tint and naga. */
const VALIDATED = 20

const engines = await openEngines()

describe(`random kernels, WEFT_FUZZ_SEED=${seed}`, () => {
  afterAll(async () => {
    await closeEngines()
    console.log(`fuzz: ${total} random kernels agree, WEFT_FUZZ_SEED=${seed}`)
  })
  let total = 0

  for (let n = 0; n < BATCHES; n++) {
    it(`${SIZE} kernels give the same on the interpreter, optimized or not, and on the engines (seed ${seed + n})`, async () => {
      const batch: Batch = await runBatch(seed + n, SIZE, engines)
      expect(batch.failure === null ? '' : describeFailure(await shrink(batch.failure, engines))).toBe('')
      for (const { plan } of batch.finished.slice(0, VALIDATED)) await validateModules(plan.compiled, plan.case)
      total += batch.kernels
    }, 600_000)
  }
})
