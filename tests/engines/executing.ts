/** What Dawn and wgpu have in common: an `Engine` over a supervised worker process. */

import type { Program } from './child.js'
import type { Engine, Job, Result } from './engine.js'
import { supervise } from './supervisor.js'

/** In the long run a software GPU has more than 65,535 workgroups to go through. */
const TIMEOUT_MS = process.env.WEFT_FULL === '1' ? 600_000 : 30_000

export async function openExecuting(name: Engine['name'], program: Program, inFlightLimit: number): Promise<Engine> {
  const supervisor = await supervise(program, inFlightLimit)
  const { adapter, features, languageFeatures, limits, subgroupSize } = supervisor.ready

  async function run(job: Job): Promise<Result> {
    const answer = await supervisor.request<Result>({ run: job }, job.timeoutMs ?? TIMEOUT_MS)
    if (answer.ok) return answer.value
    return { ok: false, label: job.label, error: { kind: answer.kind, text: answer.text, messages: [] } }
  }

  return {
    name,
    adapter,
    features: new Set(features),
    languageFeatures: new Set(languageFeatures),
    limits,
    ...(subgroupSize ? { subgroupSize } : {}),
    run,
    runMany: (jobs, onResult) =>
      Promise.all(
        jobs.map(async (job, index) => {
          const result = await run(job)
          onResult?.(result, index)
          return result
        }),
      ),
    pid: supervisor.pid,
    close: supervisor.close,
  }
}
