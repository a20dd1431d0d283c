import type { Engines } from '../parity/engines.js'
import { planOf } from '../parity/run.js'
import { type Judged, judgePlans } from '../probes/judge.js'
import { caseOf } from '../probes/probe.js'
import { expectedOf, pureProbes } from '../probes/pure.js'

/** Every built-in function × type on the device: the rows with lanes outside of what the specification allows. */
export async function probe(engines: Engines): Promise<{ readonly text: string; readonly failed: number }> {
  const all = pureProbes.map((p) => expectedOf(p, 'run time'))
  const judged = await judgePlans(
    all,
    all.map((e) => planOf(caseOf(e.probe, e.when, e.tintOnly), engines)),
    engines,
  )
  const ran = judged.filter((j) => j.executor === 'dawn' && j.skipped === undefined)
  const wrong = ran.filter((j) => j.error !== undefined || j.faults.length > 0)
  const lanes = ran.reduce((n, j) => n + j.compared, 0)
  const lines = wrong.map(describe)
  return {
    text: [`probes: ${ran.length} ran, ${lanes} lanes compared, ${wrong.length} with deviations`, ...lines].join('\n'),
    failed: wrong.length,
  }
}

function describe({ expected, run, error, faults, compared }: Judged): string {
  const [fault] = faults
  const first = fault
    ? `${faults.length} of ${compared} lanes, as (${fault.call.join('; ')})[${fault.lane}] = ${fault.got}, allowed ${JSON.stringify(fault.allowed)}`
    : (error ?? '').split('\n')[0]
  return `  ${expected.probe.name}, ${run}: ${first}`
}
