/** Runs probes and says, lane by lane, what is not as the specification fixes it. */
import { scalarOf } from '@weft/dsl/ir'
import type { Engines } from '../parity/engines.js'
import { type Plan, runPlans } from '../parity/run.js'
import { accepts } from './accept.js'
import { type Interval, isAny } from './interval.js'
import { fromMemory, type Probe } from './probe.js'

/** A probe with what it must give: by call, by lane. */
export interface Expected {
  readonly probe: Probe
  readonly when: 'run time' | 'constant'
  readonly allowed: readonly (readonly Interval[])[]
  /** Why naga cannot validate it. */
  readonly tintOnly?: string
}

/** One lane that is not as it should be. */
export interface Fault {
  readonly call: readonly (readonly number[])[]
  readonly lane: number
  readonly got: number
  readonly allowed: Interval
}

export interface Judged {
  readonly expected: Expected
  readonly run: string
  readonly executor: 'interpreter' | 'dawn' | 'wgpu'
  readonly skipped?: string
  readonly error?: string
  readonly faults: readonly Fault[]
  /** Lanes that were compared, and lanes where nothing is fixed. */
  readonly compared: number
  readonly open: number
  /** What it gave, by call; undefined when it did not run. */
  readonly lanes?: readonly (readonly number[])[]
}

export async function judgePlans(
  all: readonly Expected[],
  plans: readonly Plan[],
  engines: Engines,
): Promise<Judged[]> {
  const finished = await runPlans('probes', plans, engines)
  return finished.flatMap(({ plan, outcomes }, n) =>
    plan.runs.map((run, i): Judged => {
      const base = {
        expected: all[n] as Expected,
        run: run.name,
        executor: run.executor,
        faults: [],
        compared: 0,
        open: 0,
      }
      const outcome = outcomes[i]
      if (!outcome || 'error' in outcome) return { ...base, error: outcome?.error ?? 'it did not run' }
      if ('skipped' in outcome) return { ...base, skipped: outcome.skipped }
      const lanes = fromMemory(base.expected.probe, outcome.outputs.out as Uint8Array)
      return { ...base, ...compare(base.expected, lanes), lanes }
    }),
  )
}

function compare(
  { probe, allowed }: Expected,
  results: readonly (readonly number[])[],
): Pick<Judged, 'faults' | 'compared' | 'open'> {
  const faults: Fault[] = []
  let compared = 0
  let open = 0
  results.forEach((lanes, c) => {
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
  const args = call
    .map((lanes) => (lanes.length === 1 ? shown(lanes[0] as number) : `(${lanes.map(shown).join(', ')})`))
    .join(', ')
  const range = allowed.lo === allowed.hi ? shown(allowed.lo) : `${allowed.lo} … ${allowed.hi}`
  return `${probe.name}: f(${args}) = ${shown(got)}${scalarOf(probe.out) === probe.out ? '' : ` at lane ${lane}`}, allowed ${range}`
}
