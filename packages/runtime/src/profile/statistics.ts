/** Of times in nanoseconds. */
export interface Statistics {
  readonly count: number
  readonly min: number
  /** Of an even number of times the mean of the two in the middle. */
  readonly median: number
  /** The smallest time that at least 95 % of the times do not exceed. */
  readonly p95: number
  readonly total: number
}

/** null where there is nothing to summarize. */
export function statisticsOf(times: readonly number[]): Statistics | null {
  const sorted = Float64Array.from(times).sort()
  const count = sorted.length
  const at = (i: number): number => sorted[i] as number
  if (count === 0) return null
  const middle = count >> 1
  return {
    count,
    min: at(0),
    median: count % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2,
    p95: at(Math.ceil(0.95 * count) - 1),
    total: sorted.reduce((sum, time) => sum + time, 0),
  }
}
