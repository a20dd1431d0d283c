// The results of a run, as they are written to a file and read by the report.

import type { Machine } from './machine'
import type { Row } from './measure'

/** A peer that could not be had. */
export interface Absent {
  readonly peer: string
  readonly reason: string
}

export interface Results {
  readonly machine: Machine
  /** year-month-day */
  readonly date: string
  readonly command: string
  readonly absent: readonly Absent[]
  readonly rows: readonly Row[]
}

/** Several runs on one machine as one: a contest that was run again counts as in the later one. */
export function merged(all: readonly Results[]): Results {
  const [first] = all
  if (!first) throw new Error('there are no results')
  const other = all.find(
    ({ machine }) => machine.name !== first.machine.name || machine.driver !== first.machine.driver,
  )
  if (other) throw new Error(`these are results of different machines: ${first.machine.name}, ${other.machine.name}`)
  const key = ({ suite, contest }: Row): string => `${suite}: ${contest}`
  const rows = all.flatMap((results, i) => {
    const later = new Set(all.slice(i + 1).flatMap((more) => more.rows.map(key)))
    return results.rows.filter((row) => !later.has(key(row)))
  })
  return {
    ...first,
    date: [...new Set(all.map(({ date }) => date))].sort().join(', '),
    command: [...new Set(all.map(({ command }) => command))].join('; '),
    absent: [...new Map(all.flatMap(({ absent }) => absent).map((one) => [one.peer, one])).values()],
    rows,
  }
}
