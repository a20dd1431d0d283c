import type { ClockKind, Measured, Noted, Sample } from './samples'
import { common, type Execution, outward, pathOf } from './sections'
import { exclusive, type Reading, readingOf } from './stamps'
import { type Statistics, statisticsOf } from './statistics'

/** How fast work was done that a kernel declares; null where nothing is declared, or no time was long enough to tell. */
interface Rates {
  /** Gigabytes (10⁹) a second. */
  readonly gbps: number | null
  /** 10⁹ operations a second. */
  readonly gflops: number | null
}

/** A kernel in one variant, or passes of the same dispatches. */
export interface KernelRow extends Rates {
  /** Of a pass of several dispatches all their names: `matmul, softmax ×2`. */
  readonly name: string
  /** '' for a pass of several dispatches. */
  readonly variant: string
  /** Nanoseconds; null where nothing was measured. */
  readonly times: Statistics | null
  /** How many of the times are 0: less than the clock can tell. */
  readonly zeros: number
}

export interface SectionRow extends Rates {
  /** `layer/attention`: the section and those around it. */
  readonly path: string
  /** How often it was run. */
  readonly runs: number
  /** Nanoseconds of all dispatches of a run together, also of sections within; null where nothing was measured. */
  readonly times: Statistics | null
  /** Nanoseconds that the host spent in the section's function. */
  readonly host: Statistics | null
  /** Runs that are not in `times`, because something of them was not measured. */
  readonly incomplete: number
}

export interface Summary {
  readonly clock: ClockKind
  /** The step of the clock in nanoseconds. `none`: there are no timestamps. `unknown`: too few were seen. */
  readonly resolution: number | 'none' | 'unknown'
  /** The kernel with the largest total first. */
  readonly kernels: readonly KernelRow[]
  /** In the order in which they were first run. */
  readonly sections: readonly SectionRow[]
  /** Of a device without timestamps: nanoseconds that the host waited for each submit of dispatches. */
  readonly submits: Statistics | null
  readonly dispatches: number
  /** What is not in the times, and why. */
  readonly dropped: {
    /** The end was before the begin. */
    readonly negative: number
    /** A stamp was never written. */
    readonly unwritten: number
    /** Another observer stamped the pass, or the device has no timestamps. */
    readonly unmeasured: number
    /** Older than the `keep` newest. */
    readonly forgotten: number
  }
  /** Passes whose begin lay before the end of the one before, and was taken to be there. */
  readonly moved: number
  /** Sections that ended before one that was opened within them: dispatches were counted for the one opened last. */
  readonly overlaps: number
}

/** Time, and the work that was done in it. */
class Tally {
  readonly times: number[] = []
  readonly #done = { bytes: 0, bytesNs: 0, operations: 0, operationsNs: 0 }

  work(ns: number, dispatches: readonly Noted[]): void {
    const sum = (of: 'bytes' | 'operations'): number | null =>
      dispatches.every(({ work }) => work[of] !== undefined)
        ? dispatches.reduce((total, { work }) => total + (work[of] as number), 0)
        : null
    for (const of of ['bytes', 'operations'] as const) {
      const amount = sum(of)
      if (amount === null) continue
      this.#done[of] += amount
      this.#done[`${of}Ns`] += ns
    }
  }

  get rates(): Rates {
    const { bytes, bytesNs, operations, operationsNs } = this.#done
    return { gbps: bytesNs > 0 ? bytes / bytesNs : null, gflops: operationsNs > 0 ? operations / operationsNs : null }
  }
}

/** `a`, `a ×3`, `a, b ×2 and 4 more`. */
export function labelOf(dispatches: readonly Pick<Noted, 'kernel'>[]): string {
  const counts = new Map<string, number>()
  for (const { kernel } of dispatches) counts.set(kernel, (counts.get(kernel) ?? 0) + 1)
  const names = [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name))
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}

type Read = { readonly sample: Sample; readonly reading: Reading }

function kernelsOf(reads: readonly Read[]): KernelRow[] {
  const rows = new Map<string, { name: string; variant: string; tally: Tally }>()
  for (const { sample, reading } of reads) {
    const { dispatches } = sample
    const name = labelOf(dispatches)
    const variant = dispatches.length === 1 ? (dispatches[0]?.variant ?? '') : ''
    const key = JSON.stringify([name, variant])
    let row = rows.get(key)
    if (!row) rows.set(key, (row = { name, variant, tally: new Tally() }))
    if ('dropped' in reading) continue
    row.tally.times.push(reading.ns)
    row.tally.work(reading.ns, dispatches)
  }
  return [...rows.values()]
    .map(({ name, variant, tally }) => {
      const zeros = tally.times.filter((time) => time === 0).length
      return { name, variant, times: statisticsOf(tally.times), zeros, ...tally.rates }
    })
    .sort((a, b) => (b.times?.total ?? 0) - (a.times?.total ?? 0))
}

/** The time of every execution, with that of the executions within it. */
function sumsOf(reads: readonly Read[], incomplete: Set<Execution>): Map<Execution, number> {
  const sums = new Map<Execution, number>()
  for (const { sample, reading } of reads) {
    for (const execution of outward(common(sample.dispatches.map(({ section }) => section)))) {
      if ('dropped' in reading) incomplete.add(execution)
      else sums.set(execution, (sums.get(execution) ?? 0) + reading.ns)
    }
  }
  return sums
}

function sectionsOf(executions: readonly Execution[], reads: readonly Read[]): SectionRow[] {
  const incomplete = new Set(executions.filter((execution) => execution.incomplete))
  const sums = sumsOf(reads, incomplete)
  const rows = new Map<string, { executions: Execution[]; tally: Tally }>()
  for (const execution of executions) {
    const path = pathOf(execution)
    let row = rows.get(path)
    if (!row) rows.set(path, (row = { executions: [], tally: new Tally() }))
    row.executions.push(execution)
    const sum = sums.get(execution)
    if (sum !== undefined && !incomplete.has(execution)) row.tally.times.push(sum)
  }
  for (const { sample, reading } of reads) {
    if ('dropped' in reading) continue
    for (const execution of outward(common(sample.dispatches.map(({ section }) => section))))
      rows.get(pathOf(execution))?.tally.work(reading.ns, sample.dispatches)
  }
  return [...rows].map(([path, { executions: runs, tally }]) => ({
    path,
    runs: runs.length,
    times: statisticsOf(tally.times),
    host: statisticsOf(runs.flatMap(({ begin, end }) => (end === null ? [] : [(end - begin) * 1e6]))),
    incomplete: runs.filter((execution) => incomplete.has(execution)).length,
    ...tally.rates,
  }))
}

/** What was measured, as statistics. Pure. */
export function summarize(measured: Measured): Summary {
  const { clock, samples, submits, executions, resolution } = measured
  const { spans, moved } = exclusive(samples)
  const reads = spans.map((span, i) => ({ sample: samples[i] as Sample, reading: readingOf(span) }))
  const droppedAs = (why: string) =>
    reads.filter(({ reading }) => 'dropped' in reading && reading.dropped === why).length
  const waits = submits.flatMap(({ at, done, dispatches }) =>
    done !== null && dispatches > 0 ? [(done - at) * 1e6] : [],
  )
  return {
    clock,
    resolution: clock === 'submits' ? 'none' : (resolution ?? 'unknown'),
    kernels: kernelsOf(reads),
    sections: sectionsOf(executions, reads),
    submits: clock === 'submits' ? statisticsOf(waits) : null,
    dispatches: measured.dispatches,
    dropped: {
      negative: droppedAs('negative'),
      unwritten: droppedAs('unwritten'),
      unmeasured: measured.unmeasured,
      forgotten: measured.forgotten,
    },
    moved,
    overlaps: measured.overlaps,
  }
}
