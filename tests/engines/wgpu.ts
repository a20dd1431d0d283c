import { dirname, join } from 'node:path'
import type { Engine } from './engine.js'
import { openExecuting } from './executing.js'
import { denoPath, driverOf, missing, workerProgram } from './install.js'

/**
 * Firefox's engine: wgpu, with naga as its compiler, in Deno over lavapipe. It runs f32, i32, u32, atomics and f16, no
 * subgroups. It has no `setImmediates`, and panics on some valid modules (`&a[i]` as a `ptr<function>` argument),
 * which the result then says. lavapipe ends the loops of an invocation, without a word, when they have made 65,535
 * rounds in total: a case that needs more gives wrong results here.
 *
 * Rejects where the engine is not installed; ask `missing('wgpu')` first.
 */
export async function openWgpu(): Promise<Engine> {
  const why = missing('wgpu')
  if (why !== undefined) throw new Error(`wgpu: ${why}`)
  const program = workerProgram()
  const flags = ['--allow-all', '--no-config', '--no-lock', '--no-remote', '--no-npm', '--no-check', '--quiet']
  const env = {
    VK_ICD_FILENAMES: driverOf('wgpu') ?? '',
    DENO_NO_UPDATE_CHECK: '1',
    DENO_DIR: join(dirname(program), 'deno'),
    NO_COLOR: '1',
  }
  // Deno looks for finished work every 10 ms only, so that a job costs 13 ms alone and 1 ms among sixteen
  return openExecuting('wgpu', { command: denoPath() ?? 'deno', args: ['run', ...flags, program, 'wgpu'], env }, 16)
}
