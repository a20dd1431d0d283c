import type { Measured, Sample, Submit } from './samples'
import { common, pathOf } from './sections'
import { between, readingOf } from './stamps'
import { labelOf } from './summary'

/** One event of the Trace Event Format. Times are in microseconds. */
export interface ChromeEvent {
  readonly name: string
  readonly cat?: string
  /** `X`: a slice with a duration. `b`, `e`: begin and end of a slice that may overlap others. `M`: names a row. */
  readonly ph: 'X' | 'b' | 'e' | 'M'
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly id?: string
  readonly args?: Readonly<Record<string, unknown>>
}

/** The JSON object format of chrome://tracing, which Perfetto opens too. */
export interface ChromeTrace {
  readonly traceEvents: readonly ChromeEvent[]
  readonly displayTimeUnit: 'ns'
  readonly otherData: Readonly<Record<string, string>>
}

const DEVICE = 1
const HOST = 2
const SECTIONS = 1
const SUBMITS = 2

interface Slice {
  readonly sample: Sample
  /** Whole nanoseconds, so that a pass that begins where another ends does not overlap it by a rounding. */
  readonly begin: number
  readonly ns: number
}

const named = (pid: number, tid: number | null, name: string): ChromeEvent => ({
  name: tid === null ? 'process_name' : 'thread_name',
  ph: 'M',
  pid,
  tid: tid ?? 0,
  ts: 0,
  args: { name },
})

/** Samples that were measured, from the first of them on. */
function slicesOf(samples: readonly Sample[]): { readonly slices: readonly Slice[]; readonly first: bigint } {
  const good = samples.flatMap((sample) => {
    const reading = readingOf(sample)
    return 'dropped' in reading ? [] : [{ sample, ns: reading.ns }]
  })
  const first = good.reduce<bigint | null>(
    (least, { sample }) => (least === null || between(sample.begin, least) > 0n ? sample.begin : least),
    null,
  )
  const from = first ?? 0n
  const slices = good.map(({ sample, ns }) => ({ sample, ns, begin: Number(between(from, sample.begin)) }))
  return { slices, first: from }
}

/**
 * Where the device's time begins on the host's. The two clocks have nothing in common, but no pass begins before it was
 * submitted: the least shift (in nanoseconds) for which that holds puts the fastest start right, and all others after their submit.
 */
function shiftOf(slices: readonly Slice[]): number {
  const least = slices.map(({ sample, begin }) => (sample.submit ? sample.submit.at * 1e6 - begin : -Infinity))
  const shift = least.reduce((a, b) => Math.max(a, b), -Infinity)
  return Number.isFinite(shift) ? Math.round(shift) : 0
}

/** Slices of one row may not overlap in part, as passes may: each goes to the first row that is free again. */
function rowsOf(slices: readonly Slice[]): readonly number[] {
  const free: number[] = []
  const order = slices.map((_, i) => i).sort((a, b) => (slices[a] as Slice).begin - (slices[b] as Slice).begin)
  const rows: number[] = []
  for (const i of order) {
    const { begin, ns } = slices[i] as Slice
    const found = free.findIndex((end) => end <= begin)
    const row = found < 0 ? free.length : found
    free[row] = begin + ns
    rows[i] = row
  }
  return rows
}

function passEvents(slices: readonly Slice[], shift: number, name: string): ChromeEvent[] {
  const rows = rowsOf(slices)
  const events = slices.map(({ sample: { dispatches }, begin, ns }, i): ChromeEvent => {
    const section = common(dispatches.map(({ section }) => section))
    const args = {
      dispatches: dispatches.map(({ kernel, variant, workgroups, work }) => ({ kernel, variant, workgroups, ...work })),
      ...(section && { section: pathOf(section) }),
    }
    const tid = (rows[i] as number) + 1
    return {
      name: labelOf(dispatches) || 'empty pass',
      cat: 'pass',
      ph: 'X',
      pid: DEVICE,
      tid,
      ts: (begin + shift) / 1e3,
      dur: ns / 1e3,
      args,
    }
  })
  const tracks = Math.max(0, ...rows.map((row) => row + 1))
  const names = Array.from({ length: tracks }, (_, row) =>
    named(DEVICE, row + 1, row === 0 ? name : `${name} ${row + 1}`),
  )
  return events.length > 0 ? [named(DEVICE, null, name), ...names, ...events] : []
}

function hostEvents({ executions, submits }: Measured): ChromeEvent[] {
  const sections = executions.flatMap((execution, i): ChromeEvent[] => {
    const { name, begin, end } = execution
    if (end === null) return []
    // asynchronous slices: sections may overlap
    const event = { name, cat: 'section', pid: HOST, tid: SECTIONS, id: `section ${i}` }
    return [
      { ...event, ph: 'b', ts: begin * 1e3, args: { path: pathOf(execution) } },
      { ...event, ph: 'e', ts: end * 1e3 },
    ]
  })
  const waits = submits.flatMap(({ at, done, dispatches }: Submit, i): ChromeEvent[] => {
    const event = { name: 'submit', cat: 'submit', pid: HOST, tid: SUBMITS }
    const args = { dispatches }
    if (done === null) return [{ ...event, ph: 'X', ts: at * 1e3, dur: 0, args }]
    const id = `submit ${i}`
    return [
      { ...event, name: 'submit to done', id, ph: 'b', ts: at * 1e3, args },
      { ...event, name: 'submit to done', id, ph: 'e', ts: done * 1e3 },
    ]
  })
  return [
    named(HOST, null, 'host'),
    named(HOST, SECTIONS, 'sections'),
    named(HOST, SUBMITS, 'submits'),
    ...sections,
    ...waits,
  ]
}

/** What was measured, on a time line. Pure. */
export function chromeTrace(measured: Measured): ChromeTrace {
  const { clock, samples, resolution } = measured
  const { slices, first } = slicesOf(samples)
  // the host's clock measured the CPU, so its stamps are on the host's time line as they are
  const shift = clock === 'cpu' ? Number(first) : shiftOf(slices)
  const events = [...passEvents(slices, shift, clock === 'cpu' ? 'CPU' : 'GPU'), ...hostEvents(measured)]
  return {
    traceEvents: events,
    displayTimeUnit: 'ns',
    otherData: {
      clock,
      resolution: clock === 'submits' ? 'none' : resolution === null ? 'unknown' : `${resolution} ns`,
      alignment:
        clock === 'gpu'
          ? 'the GPU and the host have clocks of their own: no pass begins before its submit'
          : 'one clock',
    },
  }
}
