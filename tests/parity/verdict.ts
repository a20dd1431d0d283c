/** Whether what a run wrote is what it should have written. */

import type { Type } from '@weft/dsl/ir'
import { type BufferData, bytesOf } from './case.js'
import { differences } from './compare.js'
import { writtenOf } from './jobs.js'
import type { Finished, Outputs } from './run.js'

export const HALVES: Type = { kind: 'array', of: 'f16', count: null }

/** What the interpreter wrote from the IR as the author wrote it, of a source variant. */
function reference({ plan, outcomes }: Finished, source: string): Outputs | string {
  const index = plan.runs.findIndex((run) => run.executor === 'interpreter' && run.source === source)
  const outcome = outcomes[index]
  if (outcome === undefined || 'skipped' in outcome) return 'there is no reference'
  return 'error' in outcome ? `the interpreter failed: ${outcome.error}` : outcome.outputs
}

/** What is wrong with run `index` of a case, or null; also null when it was skipped. */
export function faultOf(finished: Finished, index: number): string | null {
  const { plan, outcomes } = finished
  const outcome = outcomes[index]
  const run = plan.runs[index]
  if (!run || !outcome) return 'there is no such run'
  if ('skipped' in outcome) return null
  if ('error' in outcome) return outcome.error
  const expected = reference(finished, run.source)
  if (typeof expected === 'string') return expected
  const lines = writtenOf(plan.ir(run.source)).flatMap(({ name, type }) => {
    const given = plan.case.expect?.[name]
    const want = given === undefined ? expected[name] : bytesOf(given as BufferData)
    const got = outcome.outputs[name]
    if (!got || !want) return [`${name} was not read back`]
    const as = plan.case.halves?.includes(name) ? HALVES : type
    return differences(name, as, got, want, plan.case.tolerance)
  })
  return lines.length === 0 ? null : lines.join('\n')
}
