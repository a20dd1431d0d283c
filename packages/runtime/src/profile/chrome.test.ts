import { describe, expect, it } from 'vitest'
import { type ChromeEvent, chromeTrace } from './chrome'
import type { Measured, Noted, Sample, Submit } from './samples'
import type { Execution } from './sections'

const section: Execution = { name: 'layer', parent: null, begin: 10, end: 12, incomplete: false }
const inner: Execution = { name: 'mlp', parent: section, begin: 11, end: 13, incomplete: false }
const open: Execution = { name: 'open', parent: null, begin: 12, end: null, incomplete: false }

const noted = (kernel: string): Noted => ({
  kernel,
  variant: 'v',
  workgroups: [2, 1, 1],
  work: { bytes: 8 },
  section: inner,
})
const sample = (begin: bigint, end: bigint, submit: Submit | null, ...kernels: string[]): Sample => ({
  begin,
  end,
  submit,
  dispatches: kernels.map(noted),
})

const measured = (more: Partial<Measured>): Measured => ({
  clock: 'gpu',
  samples: [],
  submits: [],
  executions: [section, inner, open],
  resolution: null,
  dispatches: 0,
  unmeasured: 0,
  forgotten: 0,
  overlaps: 0,
  ...more,
})

/** What the importers of Perfetto and chrome://tracing need of every event, and of each row of slices. */
function check(events: readonly ChromeEvent[]): void {
  const open = new Map<string, number>()
  const rows = new Map<string, [number, number][]>()
  for (const event of events) {
    expect(typeof event.name).toBe('string')
    for (const field of ['pid', 'tid', 'ts'] as const) expect(Number.isFinite(event[field]), field).toBe(true)
    if (event.ph === 'X') {
      expect(event.dur).toBeGreaterThanOrEqual(0)
      const row = `${event.pid}/${event.tid}`
      rows.set(row, [...(rows.get(row) ?? []), [event.ts, event.ts + (event.dur as number)]])
    } else if (event.ph === 'M') {
      expect(['process_name', 'thread_name']).toContain(event.name)
      expect(typeof event.args?.name).toBe('string')
    } else {
      const key = `${event.cat}/${event.id}/${event.name}`
      open.set(key, (open.get(key) ?? 0) + (event.ph === 'b' ? 1 : -1))
    }
  }
  expect([...open.values()].every((count) => count === 0)).toBe(true)
  for (const slices of rows.values()) {
    slices.sort(([a], [b]) => a - b)
    // to the nanosecond, which is what importers count in
    const ns = (us: number) => Math.round(us * 1e3)
    slices.slice(1).forEach(([begin], i) => void expect(ns(begin)).toBeGreaterThanOrEqual(ns(slices[i]?.[1] as number)))
  }
  expect(JSON.parse(JSON.stringify(events))).toEqual(events)
}

const slices = (events: readonly ChromeEvent[], pid: number) => events.filter((e) => e.ph === 'X' && e.pid === pid)

describe('the trace of a GPU', () => {
  const first: Submit = { at: 10, done: null, dispatches: 2 }
  const second: Submit = { at: 20, done: null, dispatches: 1 }
  const from = 2n ** 63n - 1000n
  const samples = [
    sample(from, from + 5000n, first, 'a'),
    sample(from + 4000n, from + 6000n, first, 'b', 'b'),
    sample(from + 6000n, from + 5999n, first, 'wrong'),
    sample(from + 9_000_000n, from + 9_000_500n, second, 'c'),
  ]
  const { traceEvents, otherData, displayTimeUnit } = chromeTrace(
    measured({ samples, submits: [first, second], resolution: 64 }),
  )

  it('is as importers want it', () => {
    check(traceEvents)
    expect(displayTimeUnit).toBe('ns')
    expect(otherData).toMatchObject({ clock: 'gpu', resolution: '64 ns' })
  })

  it('has every measured pass, and a second row for what overlaps', () => {
    const [a, b, c] = slices(traceEvents, 1)
    expect([a, b, c].map((e) => [e?.name, e?.tid, e?.dur])).toEqual([
      ['a', 1, 5],
      ['b ×2', 2, 2],
      ['c', 1, 0.5],
    ])
    expect(slices(traceEvents, 1).length).toBe(3)
    expect(a?.args).toEqual({
      dispatches: [{ kernel: 'a', variant: 'v', workgroups: [2, 1, 1], bytes: 8 }],
      section: 'layer/mlp',
    })
    expect(traceEvents.filter((e) => e.name === 'thread_name' && e.pid === 1).map((e) => e.args?.name)).toEqual([
      'GPU',
      'GPU 2',
    ])
  })

  it('keeps passes in one row where one begins when the other ends', () => {
    const step = 65_601_537n
    const chain = Array.from({ length: 200 }, (_, i) =>
      sample(from + BigInt(i) * step, from + BigInt(i + 1) * step, first, 'a'),
    )
    const { traceEvents } = chromeTrace(measured({ samples: chain, submits: [{ ...first, at: 2060.9625483 }] }))
    check(traceEvents)
    expect(new Set(slices(traceEvents, 1).map(({ tid }) => tid))).toEqual(new Set([1]))
  })

  it('shifts the device’s time so that no pass begins before its submit', () => {
    const [a, b, c] = slices(traceEvents, 1).map(({ ts }) => ts)
    // 9 ms after a's begin on the GPU, 10 ms on the host: c sets the shift
    expect([a, b, c]).toEqual([11_000, 11_004, 20_000])
  })

  it('has sections that may overlap, those that have ended, and submits', () => {
    const host = traceEvents.filter((e) => e.pid === 2 && e.cat === 'section')
    expect(host.map(({ name, ph, ts }) => [name, ph, ts])).toEqual([
      ['layer', 'b', 10_000],
      ['layer', 'e', 12_000],
      ['mlp', 'b', 11_000],
      ['mlp', 'e', 13_000],
    ])
    expect(slices(traceEvents, 2).map(({ name, ts, args }) => [name, ts, args])).toEqual([
      ['submit', 10_000, { dispatches: 2 }],
      ['submit', 20_000, { dispatches: 1 }],
    ])
  })
})

it('is on the host’s own time line on the CPU', () => {
  const samples = [sample(10_000_000n, 10_500_000n, null, 'a')]
  const { traceEvents, otherData } = chromeTrace(measured({ clock: 'cpu', samples }))
  check(traceEvents)
  expect(slices(traceEvents, 1)).toMatchObject([{ name: 'a', ts: 10_000, dur: 500 }])
  expect(otherData).toEqual({ clock: 'cpu', resolution: 'unknown', alignment: 'one clock' })
})

it('has waits for submits, and nothing about kernels, without timestamps', () => {
  const submits = [
    { at: 1, done: 3, dispatches: 1 },
    { at: 2, done: 4, dispatches: 1 },
  ]
  const { traceEvents, otherData } = chromeTrace(measured({ clock: 'submits', submits, executions: [] }))
  check(traceEvents)
  expect(traceEvents.filter((e) => e.pid === 1)).toEqual([])
  expect(traceEvents.filter((e) => e.ph === 'b').map(({ name, ts }) => [name, ts])).toEqual([
    ['submit to done', 1000],
    ['submit to done', 2000],
  ])
  expect(otherData.resolution).toBe('none')
})
