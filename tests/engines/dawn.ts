import type { Engine } from './engine.js'
import { openExecuting } from './executing.js'
import { driverOf, missing, workerProgram } from './install.js'

/**
 * Chrome's engine: Dawn, with Tint as its compiler, over SwiftShader. It runs f32, i32, u32, atomics and subgroups of
 * 4 invocations, no f16. Rejects where the engine is not installed; ask `missing('dawn')` first.
 */
export async function openDawn(): Promise<Engine> {
  const why = missing('dawn')
  if (why !== undefined) throw new Error(`dawn: ${why}`)
  const env = { VK_ICD_FILENAMES: driverOf('dawn') ?? '' }
  return openExecuting('dawn', { command: process.execPath, args: [workerProgram(), 'dawn'], env }, 8)
}
