// What the report says of a run: speeds, and their ratios to the ceilings of the run, to the best peer and to PyTorch.

import type { Work } from '../contest'
import type { Row } from '../measure'

export type Unit = 'TFLOP/s' | 'TOP/s' | 'GB/s' | 'G/s'

export interface Speed {
  readonly value: number
  readonly unit: Unit
}

/** Of a contest, in the order of the report: ours from the fastest on, then the others from the fastest on. */
export interface Line extends Row {
  readonly speed?: Speed
  /** Part of what the hardware does at most through WGSL: copy bandwidth, or multiply-adds in f32. */
  readonly ofCeiling?: number
  /** Times as fast as the fastest peer on WebGPU, and as PyTorch. */
  readonly vsPeer?: number
  readonly vsTorch?: number
}

export interface ContestLines {
  readonly name: string
  readonly lines: readonly Line[]
}

export interface SuiteLines {
  readonly name: string
  readonly contests: readonly ContestLines[]
}

export const CEILINGS = 'ceilings'

export const isTorch = ({ entry }: Pick<Row, 'entry'>): boolean => entry.startsWith('PyTorch')

/** Below so many operations a byte, memory decides on every GPU. */
const FEW = 32

/** What operations on elements of a type are counted in: those on bytes are integer ones. */
export const operationsOf = (dtype?: string): Unit => (dtype === 'i8' ? 'TOP/s' : 'TFLOP/s')

/** How fast: in items where they are what counts, else in operations, or in bytes where memory decides or nothing is computed. */
export function speedOf({ operations = 0, bytes = 0, items = 0 }: Work, ms: number, dtype?: string): Speed | undefined {
  if (items > 0) return { value: items / ms / 1e6, unit: 'G/s' }
  if (operations > 0 && operations >= FEW * bytes) return { value: operations / ms / 1e9, unit: operationsOf(dtype) }
  return bytes > 0 ? { value: bytes / ms / 1e6, unit: 'GB/s' } : undefined
}

interface Ceilings {
  readonly bandwidth?: number
  readonly multiplyAdd?: number
}

function ceilingsOf(rows: readonly Row[]): Ceilings {
  const fastest = (unit: Unit): number | undefined => {
    const speeds = rows
      .filter(({ suite, peer, ms }) => suite === CEILINGS && !peer && ms !== undefined)
      .map(({ work, ms = 1 }) => speedOf(work, ms))
      .filter((speed) => speed?.unit === unit)
    return speeds.length ? Math.max(...speeds.map((speed) => speed?.value ?? 0)) : undefined
  }
  const [bandwidth, multiplyAdd] = [fastest('GB/s'), fastest('TFLOP/s')]
  return { ...(bandwidth ? { bandwidth } : {}), ...(multiplyAdd ? { multiplyAdd } : {}) }
}

/** The ceiling of multiply-adds says something of f32 alone. */
function partOf(speed: Speed, dtype: string | undefined, { bandwidth, multiplyAdd }: Ceilings): number | undefined {
  if (speed.unit === 'GB/s' && bandwidth) return speed.value / bandwidth
  if (speed.unit === 'TFLOP/s' && multiplyAdd && dtype === 'f32') return speed.value / multiplyAdd
  return undefined
}

const group = <T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

function linesOf(rows: readonly Row[], ceilings: Ceilings): Line[] {
  const least = (some: (row: Row) => boolean): number | undefined => {
    const times = rows.filter((row) => row.peer && some(row)).flatMap(({ ms }) => (ms === undefined ? [] : [ms]))
    return times.length ? Math.min(...times) : undefined
  }
  const [peer, torch] = [least((row) => !isTorch(row)), least(isTorch)]
  const lines = rows.map((row): Line => {
    if (row.ms === undefined) return row
    const speed = speedOf(row.work, row.ms, row.dtype)
    const ofCeiling = speed && partOf(speed, row.dtype, ceilings)
    return {
      ...row,
      ...(speed ? { speed } : {}),
      ...(ofCeiling === undefined ? {} : { ofCeiling }),
      ...(row.peer || peer === undefined ? {} : { vsPeer: peer / row.ms }),
      ...(row.peer || torch === undefined ? {} : { vsTorch: torch / row.ms }),
    }
  })
  const time = ({ ms = Number.POSITIVE_INFINITY }: Line): number => ms
  return lines.sort((a, b) => Number(a.peer ?? false) - Number(b.peer ?? false) || (time(a) < time(b) ? -1 : 1))
}

/** Rows as lines, by suite and contest, in the order in which they were measured. */
export function suitesOf(rows: readonly Row[]): SuiteLines[] {
  const ceilings = ceilingsOf(rows)
  return [...group(rows, ({ suite }) => suite)].map(([name, ofSuite]) => ({
    name,
    contests: [...group(ofSuite, ({ contest }) => contest)].map(([contest, ofContest]) => ({
      name: contest,
      lines: linesOf(ofContest, ceilings),
    })),
  }))
}

/** Three digits, and no exponents: `48.1`, `0.820`, `4,270`. */
export function digits(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  if (value === 0) return '0'
  return value.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))))
}
