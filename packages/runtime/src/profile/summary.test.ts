import { describe, expect, it } from 'vitest'
import { reportOf, timeText } from './report'
import type { Measured, Noted, Sample } from './samples'
import type { Execution } from './sections'
import { summarize } from './summary'

const noted = (kernel: string, more: Partial<Noted> = {}): Noted => ({
  kernel,
  variant: 'portable',
  workgroups: [1, 1, 1],
  work: {},
  section: null,
  ...more,
})

/** A pass of `ns` after `begin`. */
const sample = (begin: number, ns: number, ...dispatches: Noted[]): Sample => ({
  begin: BigInt(begin),
  end: BigInt(begin + ns),
  dispatches,
  submit: null,
})

const measured = (samples: readonly Sample[], more: Partial<Measured> = {}): Measured => ({
  clock: 'gpu',
  samples,
  submits: [],
  executions: [],
  resolution: 1,
  dispatches: samples.length,
  unmeasured: 0,
  forgotten: 0,
  overlaps: 0,
  ...more,
})

const run = (name: string, parent: Execution | null = null): Execution => ({
  name,
  parent,
  begin: 1,
  end: 3,
  incomplete: false,
})

describe('kernels', () => {
  it('are sorted by their totals, each variant for itself', () => {
    const fast = noted('mm', { variant: 'subgroups' })
    const samples = [
      sample(1, 10, noted('add')),
      sample(20, 500, noted('mm')),
      sample(600, 100, fast),
      sample(800, 30, noted('add')),
    ]
    const { kernels } = summarize(measured(samples))
    expect(kernels.map(({ name, variant, times }) => [name, variant, times?.count, times?.total])).toEqual([
      ['mm', 'portable', 1, 500],
      ['mm', 'subgroups', 1, 100],
      ['add', 'portable', 2, 40],
    ])
  })

  it('have rates where they declare their work, from the time of all that declared it', () => {
    const work = { bytes: 100, operations: 40 }
    const samples = [
      sample(1, 10, noted('a', { work })),
      sample(20, 40, noted('a', { work })),
      sample(100, 7, noted('b')),
    ]
    const { kernels } = summarize(measured(samples))
    expect(kernels.map(({ gbps, gflops }) => [gbps, gflops])).toEqual([
      [4, 1.6],
      [null, null],
    ])
  })

  it('[case-R31] drop negative times, count zeros, and have no rate where no time could be told', () => {
    const work = { bytes: 100 }
    const a = noted('a', { work })
    const samples = [sample(5, -2, a), { ...sample(0, 9, a), begin: 0n }, sample(64, 0, a), sample(64, 0, a)]
    const { kernels, dropped } = summarize(measured(samples, { resolution: 64 }))
    expect(kernels).toEqual([
      {
        name: 'a',
        variant: 'portable',
        times: { count: 2, min: 0, median: 0, p95: 0, total: 0 },
        zeros: 2,
        gbps: null,
        gflops: null,
      },
    ])
    expect(dropped).toEqual({ negative: 1, unwritten: 1, unmeasured: 0, forgotten: 0 })
  })

  it('are named together where they share a pass', () => {
    const [a, b] = [noted('a', { work: { bytes: 10 } }), noted('b', { work: { bytes: 30 } })]
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => noted(name))
    const { kernels } = summarize(measured([sample(1, 20, a, b, a), sample(30, 10, ...many)]))
    expect(kernels.map(({ name, variant, gbps }) => [name, variant, gbps])).toEqual([
      ['a ×2, b', '', 2.5],
      ['a, b, c and 2 more', '', null],
    ])
  })
})

describe('sections', () => {
  const layer = run('layer')
  const attention = run('attention', layer)
  const again = run('layer')

  it('sum what was dispatched in them and in sections within', () => {
    const samples = [
      sample(1, 10, noted('a', { section: layer })),
      sample(20, 5, noted('b', { section: attention, work: { bytes: 10 } })),
      sample(30, 100, noted('a', { section: again })),
      sample(200, 50, noted('c')),
    ]
    const { sections } = summarize(measured(samples, { executions: [layer, attention, again] }))
    expect(sections.map(({ path, runs, times, gbps }) => [path, runs, times?.min, times?.total, gbps])).toEqual([
      ['layer', 2, 15, 115, 2],
      ['layer/attention', 1, 5, 5, 2],
    ])
    expect(sections[0]?.host).toEqual({ count: 2, min: 2e6, median: 2e6, p95: 2e6, total: 4e6 })
  })

  it('leave runs out of which something was dropped', () => {
    const samples = [
      sample(1, 10, noted('a', { section: layer })),
      sample(20, -5, noted('b', { section: attention })),
      sample(30, 100, noted('a', { section: again })),
    ]
    const [outer, inner] = summarize(measured(samples, { executions: [layer, attention, again] })).sections
    expect([outer?.runs, outer?.times?.count, outer?.times?.total, outer?.incomplete]).toEqual([2, 1, 100, 1])
    expect([inner?.times, inner?.incomplete]).toEqual([null, 1])
  })

  it('have of a shared pass what all of its dispatches were in', () => {
    const samples = [sample(1, 10, noted('a', { section: attention }), noted('b', { section: layer }))]
    const { sections } = summarize(measured(samples, { executions: [layer, attention] }))
    expect(sections.map(({ times }) => times?.total)).toEqual([10, undefined])
  })
})

describe('the report', () => {
  it('writes times with three digits', () => {
    const texts = [0, 7, 999, 1000, 9994, 65536, 99949, 123456, 1.5e6, 2.5e9].map(timeText)
    expect(texts).toEqual([
      '0 ns',
      '7 ns',
      '999 ns',
      '1.00 µs',
      '9.99 µs',
      '65.5 µs',
      '99.9 µs',
      '123 µs',
      '1.50 ms',
      '2.50 s',
    ])
  })

  it('is a table with remarks', () => {
    const section = run('token')
    const mm = noted('matmul', { section, work: { bytes: 4096, operations: 131072 } })
    const samples = [
      sample(65536, 0, noted('add', { section })),
      sample(65536, 131072, mm),
      sample(262144, 65536, mm),
      sample(400000, -1, mm),
    ]
    const more = { resolution: 65536, executions: [section], overlaps: 1 }
    expect(reportOf(summarize(measured(samples, more)))).toBe(
      `4 dispatches; clock: timestamps of the GPU; resolution: 65.5 µs

kernel  count        min     median        p95      total    share    GB/s  GFLOP/s
matmul      2    65.5 µs    98.3 µs     131 µs     197 µs  100.0 %  0.0417     1.33
add         1  < 65.5 µs  < 65.5 µs  < 65.5 µs  < 65.5 µs    0.0 %

section  runs  min  median  p95  total  host total    GB/s  GFLOP/s
token       1                              2.00 ms  0.0417     1.33

1 pass dropped: the end was stamped before the begin
1 run of a section left out: not everything in it was measured
1 section overlapped another: dispatches were counted for the one opened last`,
    )
  })

  it('says that there are no times of kernels without timestamps', () => {
    const submits = [
      { at: 1, done: 3, dispatches: 2 },
      { at: 4, done: 5, dispatches: 1 },
      { at: 6, done: null, dispatches: 1 },
      { at: 6, done: 7, dispatches: 0 },
    ]
    const more = { clock: 'submits', submits, resolution: null, dispatches: 3, unmeasured: 3 } as const
    expect(reportOf(summarize(measured([], more)))).toBe(
      `3 dispatches; clock: the host's waiting for submits: this device has no timestamps, so there are no times of kernels; resolution: none

                    count      min   median      p95    total
submits, host time      2  1.00 ms  1.50 ms  2.00 ms  3.00 ms`,
    )
  })
})
