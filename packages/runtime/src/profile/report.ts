import { count } from '../errors'
import type { Statistics } from './statistics'
import type { KernelRow, SectionRow, Summary } from './summary'

const UNITS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const

/** Nanoseconds for people: `1.23 ms`, three digits. */
export function timeText(ns: number): string {
  const [factor, unit] = UNITS.find(([factor]) => ns >= factor) ?? [1, 'ns']
  const value = ns / factor
  const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return `${unit === 'ns' ? Math.round(value) : value.toFixed(digits)} ${unit}`
}

/** Lines of cells as a table, the first column to the left and the others to the right. */
function table(lines: readonly (readonly string[])[]): string[] {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

const CLOCKS = {
  gpu: 'timestamps of the GPU',
  cpu: "the host's clock around each dispatch, on the CPU",
  submits: "the host's waiting for submits: this device has no timestamps, so there are no times of kernels",
} as const

const rate = (value: number | null): string =>
  value === null ? '' : value >= 99.95 ? value.toFixed(0) : value.toPrecision(3)

/** `resolution` in nanoseconds, where it is known: 0 means a time below it. */
function timesOf(times: Statistics | null, resolution: number | null): string[] {
  if (!times) return ['', '', '', '']
  const text = (ns: number): string =>
    ns === 0 ? (resolution === null ? '0' : `< ${timeText(resolution)}`) : timeText(ns)
  return [times.min, times.median, times.p95, times.total].map(text)
}

const TIMES = ['min', 'median', 'p95', 'total']

function kernelLines(kernels: readonly KernelRow[], resolution: number | null): string[] {
  const names = kernels.map(({ name }) => name)
  const repeated = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  const all = kernels.reduce((sum, { times }) => sum + (times?.total ?? 0), 0)
  return table([
    ['kernel', 'count', ...TIMES, 'share', 'GB/s', 'GFLOP/s'],
    ...kernels.map(({ name, variant, times, gbps, gflops }) => [
      repeated.has(name) ? `${name} (${variant})` : name,
      count(times?.count ?? 0),
      ...timesOf(times, resolution),
      times && all > 0 ? `${((100 * times.total) / all).toFixed(1)} %` : '',
      rate(gbps),
      rate(gflops),
    ]),
  ])
}

function sectionLines(sections: readonly SectionRow[], resolution: number | null): string[] {
  return table([
    ['section', 'runs', ...TIMES, 'host total', 'GB/s', 'GFLOP/s'],
    ...sections.map(({ path, runs, times, host, gbps, gflops }) => [
      path,
      count(runs),
      ...timesOf(times, resolution),
      host ? timeText(host.total) : '',
      rate(gbps),
      rate(gflops),
    ]),
  ])
}

/** What is not in the tables, or not as one might think. */
function remarks({ clock, dropped, moved, overlaps, sections }: Summary): string[] {
  const lines: string[] = []
  const remark = (n: number, one: string, many: string, text: string): void => {
    if (n > 0) lines.push(`${count(n)} ${n === 1 ? one : many} ${text}`)
  }
  const incomplete = sections.reduce((sum, section) => sum + section.incomplete, 0)
  remark(dropped.negative, 'pass', 'passes', 'dropped: the end was stamped before the begin')
  remark(dropped.unwritten, 'pass', 'passes', 'dropped: the begin was not stamped')
  remark(dropped.forgotten, 'pass', 'passes', 'forgotten: older than what is kept')
  if (clock !== 'submits') {
    const why = 'not measured: another observer stamped its pass'
    remark(dropped.unmeasured, 'dispatch', 'dispatches', why)
    remark(incomplete, 'run of a section', 'runs of sections', 'left out: not everything in it was measured')
  }
  remark(moved, 'pass', 'passes', 'overlapped the one before: counted from its end')
  remark(overlaps, 'section', 'sections', 'overlapped another: dispatches were counted for the one opened last')
  return lines
}

/** A summary as a table for people. */
export function reportOf(summary: Summary): string {
  const { clock, resolution, kernels, sections, submits, dispatches } = summary
  const step = typeof resolution === 'number' ? resolution : null
  const head = `${count(dispatches)} dispatches; clock: ${CLOCKS[clock]}; resolution: ${step === null ? resolution : timeText(step)}`
  const parts = [
    [head],
    kernels.length > 0 ? kernelLines(kernels, step) : [],
    submits
      ? table([
          ['', 'count', ...TIMES],
          ['submits, host time', count(submits.count), ...timesOf(submits, null)],
        ])
      : [],
    sections.length > 0 ? sectionLines(sections, step) : [],
    remarks(summary),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
