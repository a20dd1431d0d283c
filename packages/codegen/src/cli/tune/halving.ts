import type { Timed } from '../../tune/results'

/** What became of a candidate in a round. */
export interface Score {
  readonly ms: number
  /** Its time over the incumbent's: low quartile, median, high quartile. */
  readonly ratio: Timed['ratio']
  readonly samples: number
}

/** So few challengers of the incumbent are worth a long look. */
export const FINALISTS = 4
/** Who is so far behind the best, by more than the samples of both differ, is out at once. */
const HOPELESS = 1.25

/** Samples of a round: few while there are many challengers, twice as many each time, all of them in the last one. */
export const samplesOf = (round: number, challengers: number, final: number): number =>
  challengers <= FINALISTS ? final : Math.min(final, 2 << round)

/**
 * Who goes on after a round of successive halving (Jamieson & Talwalkar, 2016): the faster half, but not who is far
 * behind the best; null when it was the last round. Indices, the fastest first.
 */
export function survivors(scores: readonly Score[]): readonly number[] | null {
  if (scores.length <= FINALISTS) return null
  const order = bySpeed(scores)
  const [, , best] = (scores[order[0] as number] as Score).ratio
  const kept = order.slice(0, Math.max(FINALISTS, Math.ceil(order.length / 2)))
  return kept.filter((i) => (scores[i] as Score).ratio[0] <= best * HOPELESS)
}

/**
 * Who deserves a second look after the last round: few samples of a busy device may make the worse one look best, so that it
 * takes the place of a better one and falls back later. Those that were left out with fewer than `final` samples, and looked faster then
 * than the winner does now beyond its noise; the fastest first.
 */
export function recalled<T extends Pick<Score, 'ratio' | 'samples'>>(
  out: readonly T[],
  winner: T,
  final: number,
): readonly T[] {
  const [low] = winner.ratio
  const missed = out.filter(({ ratio, samples }) => samples < final && ratio[1] < Math.min(1, low))
  return bySpeed(missed)
    .slice(0, FINALISTS - 1)
    .map((i) => missed[i] as T)
}

/** Indices, the fastest first; of equals the first. */
export const bySpeed = (scores: readonly Pick<Score, 'ratio'>[]): number[] =>
  scores.map((_, i) => i).sort((a, b) => medianOf(scores, a) - medianOf(scores, b) || a - b)

const medianOf = (scores: readonly Pick<Score, 'ratio'>[], i: number): number => (scores[i] as Score).ratio[1]

/** Of samples of the same thing: low quartile, median, high quartile; between two samples in proportion. */
export function quartiles(samples: readonly number[]): Timed['ratio'] {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (part: number): number => {
    const place = part * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number]
    return low + (high - low) * (place % 1)
  }
  return [at(0.25), at(0.5), at(0.75)]
}

/**
 * The fastest, unless it is only as fast as the incumbent: three quarters of its samples must beat the incumbent, and by
 * more than three quarters of the incumbent's own samples beat each other.
 */
export function winnerOf<T extends Pick<Score, 'ratio'>>(ranked: readonly T[], incumbent: T | null): T | null {
  const [first] = ranked
  if (first === undefined || incumbent === null || first === incumbent) return first ?? null
  return first.ratio[2] < Math.min(1, incumbent.ratio[0]) ? first : incumbent
}
