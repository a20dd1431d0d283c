/**
 * Timestamps are unsigned 64-bit nanoseconds since some moment, so their arithmetic is BigInt arithmetic: a JavaScript
 * number would lose the low bits from 2⁵³ ns (104 days) on. Engines round them (Chrome to 2¹⁶ ns), and drivers have
 * been seen to give an end before its begin.
 */
export interface Span {
  readonly begin: bigint
  readonly end: bigint
}

/** `later − earlier` in nanoseconds; right across a wrap of the counter, negative where the order is wrong. */
export const between = (earlier: bigint, later: bigint): bigint => BigInt.asIntN(64, later - earlier)

/** What a pair of stamps says: a time (0: less than the clock can tell), or that it says nothing. */
export type Reading = { readonly ns: number } | { readonly dropped: 'negative' | 'unwritten' }

export function readingOf({ begin, end }: Span): Reading {
  // a query that was never written resolves to 0; both zero may as well be a clock that does not run
  if (begin === 0n && end !== 0n) return { dropped: 'unwritten' }
  const ns = between(begin, end)
  return ns < 0n ? { dropped: 'negative' } : { ns: Number(ns) }
}

/**
 * The spans with every begin moved up to the end of the span before it, where that was later: some GPUs stamp the
 * begin of all passes of a submit at its start, and passes that overlap would be counted twice. A span that lies wholly
 * in the one before it stays as it is. `moved` counts what was changed.
 */
export function exclusive(spans: readonly Span[]): { readonly spans: readonly Span[]; readonly moved: number } {
  let moved = 0
  let last: bigint | null = null
  const result = spans.map((span) => {
    if ('dropped' in readingOf(span)) return span
    const before = last
    if (last === null || between(last, span.end) > 0n) last = span.end
    if (before === null || between(before, span.begin) >= 0n || between(before, span.end) < 0n) return span
    moved++
    return { begin: before, end: span.end }
  })
  return { spans: result, moved }
}

/** Too few stamps have a large divisor in common by chance. */
const ENOUGH = 16

/** Learns the step of a clock: the largest number of nanoseconds that all its stamps are multiples of. */
export class Resolution {
  #divisor = 0n
  #last = 0n
  #distinct = 0

  add(stamp: bigint): void {
    if (stamp === 0n || stamp === this.#last) return
    this.#last = stamp
    this.#distinct++
    let [a, b] = [this.#divisor, stamp]
    while (b !== 0n) [a, b] = [b, a % b]
    this.#divisor = a
  }

  /** Nanoseconds, or null while too few different stamps were seen. */
  get ns(): number | null {
    return this.#distinct < ENOUGH ? null : Number(this.#divisor)
  }
}
