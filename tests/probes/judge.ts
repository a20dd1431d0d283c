/** Runs probes and says, lane by lane, what is not as the specification fixes it. */
import { scalarOf } from '@weft/dsl/ir'
import { openEngines } from '../parity/engines.js'
import { type Finished, planOf, runPlans } from '../parity/run.js'
import { accepts } from './accept.js'
import { type Interval, isAny } from './interval.js'
import { caseOf, fromMemory, type Probe } from './probe.js'

/** A probe with what it must give: by call, by lane. */
export interface Expected<P extends Probe = Probe> {
  readonly probe: P
  readonly when: 'run time' | 'constant'
  readonly allowed: readonly (readonly Interval[])[]
  /** Engines lack it. */
  readonly tintOnly?: string
}

/** One lane that is not as it should be. */
export interface Fault {
  readonly call: readonly (readonly number[])[]
  readonly lane: number
  readonly got: number
  readonly allowed: Interval
}

export interface Judged<P extends Probe = Probe> {
  readonly expected: Expected<P>
  readonly run: string
  readonly executor: 'interpreter' | 'dawn' | 'wgpu'
  readonly skipped?: string
  readonly error?: string
  readonly faults: readonly Fault[]
  /** Lanes that were compared, and lanes where nothing is fixed. */
  readonly compared: number
  readonly open: number
}

export async function judge<P extends Probe>(all: readonly Expected<P>[]): Promise<{ judged: Judged<P>[]; finished: Finished[] }> {
  const engines = await openEngines()
  const plans = all.map((e) => planOf({ ...caseOf(e.probe, e.when), ...(e.tintOnly ? { tintOnly: e.tintOnly } : {}) }, engines))
  const finished = await runPlans(plans, engines)
  const judged = finished.flatMap(({ plan, outcomes }, n) =>
    plan.runs.map((run, i): Judged<P> => {
      const base = { expected: all[n] as Expected<P>, run: run.name, executor: run.executor, faults: [], compared: 0, open: 0 }
      const outcome = outcomes[i]
      if (!outcome || 'error' in outcome) return { ...base, error: outcome?.error ?? 'it did not run' }
      if ('skipped' in outcome) return { ...base, skipped: outcome.skipped }
      return { ...base, ...compare(all[n] as Expected<P>, outcome.outputs.out as Uint8Array) }
    }),
  )
  return { judged, finished }
}

function compare({ probe, allowed }: Expected, bytes: Uint8Array): Pick<Judged, 'faults' | 'compared' | 'open'> {
  const faults: Fault[] = []
  let compared = 0
  let open = 0
  fromMemory(probe, bytes).forEach((lanes, c) => {
    lanes.forEach((got, lane) => {
      const range = allowed[c]?.[lane] as Interval
      if (isAny(range)) open++
      else compared++
      if (!accepts(range, got)) faults.push({ call: probe.calls[c] as Fault['call'], lane, got, allowed: range })
    })
  })
  return { faults, compared, open }
}

const shown = (x: number): string => (Object.is(x, -0) ? '-0' : String(x))

/** One line, as `sin(3.1) = 0.2 at lane 0, allowed 0.04 … 0.05`. */
export function describeFault(probe: Probe, { call, lane, got, allowed }: Fault): string {
  const args = call.map((lanes) => (lanes.length === 1 ? shown(lanes[0] as number) : `(${lanes.map(shown).join(', ')})`)).join(', ')
  const range = allowed.lo === allowed.hi ? shown(allowed.lo) : `${allowed.lo} … ${allowed.hi}`
  return `${probe.name}: f(${args}) = ${shown(got)}${scalarOf(probe.out) === probe.out ? '' : ` at lane ${lane}`}, allowed ${range}`
}
