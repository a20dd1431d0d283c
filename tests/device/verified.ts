/** `verify: true` on the GPU of this machine: each function with fast kernels computes its trial, and no kernel may be refused. */
import { verdicts } from '@weft/kernels'
import { createRuntime } from '@weft/runtime'
import { verified, worst } from '../kernels/verified.js'

export interface Verifications {
  readonly failed: number
  readonly text: string
}

/** Runs every trial on one runtime of all the device's features. */
export async function verifyAll(gpu: GPU): Promise<Verifications> {
  using runtime = await createRuntime({ gpu })
  const wrong: string[] = []
  for (const { name, run } of verified) {
    try {
      const error = worst(await run(runtime, { verify: true }))
      if (!(error <= 1)) wrong.push(`  ${name}: ${error} of its bound`)
    } catch (error) {
      wrong.push(`  ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const told = verdicts(runtime)
  for (const { kernel, ok, because } of told) if (!ok) wrong.push(`  ${kernel} was refused: ${because}`)
  const text = `verified: ${verified.length} functions, ${told.length} fast kernels tried, ${wrong.length} wrong`
  return { failed: wrong.length, text: [text, ...wrong].join('\n') }
}
