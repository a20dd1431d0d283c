import { workerProgram } from './install.js'
import { type Supervisor, supervise } from './supervisor.js'
import type { TintModule, TintResult } from './worker/protocol.js'

export type { TintModule, TintResult } from './worker/protocol.js'

let worker: Promise<Supervisor> | undefined

/**
 * Chrome's compiler on Dawn's null backend: makes the module and, given layouts, the pipeline with exactly these. It
 * knows everything that Chrome has, f16, subgroups and subgroup matrices included, and executes nothing.
 *
 * One process per test process, started by the first call; it ends with its parent.
 */
export async function validateTint(wgsl: string, options: Omit<TintModule, 'wgsl'> = {}): Promise<TintResult> {
  worker ??= supervise({ command: process.execPath, args: [workerProgram(), 'tint'], env: {} }, 16)
  const answer = await (await worker).request<TintResult>({ validate: { ...options, wgsl } }, 30_000)
  return answer.ok ? answer.value : { ok: false, text: `${answer.kind}: ${answer.text}`, messages: [] }
}
