import type { Refused } from '../../tune/results'
import type { Tunable } from '../../tune/tunable'
import { CommandError } from '../command'
import { textOf } from '../errors'
import { type Candidate, type Candidates, refusedAs } from './candidates'
import { Check } from './check'
import { Bench, shapeText } from './problem'
import type { Session } from './session'

/** A candidate that is right on a shape. */
export interface Right extends Candidate {
  readonly error: number
}

/** A problem, and the name of its shape. */
export interface Place {
  readonly check: Check
  readonly where: string
}

interface Sifted {
  readonly right: readonly Right[]
  readonly refused: readonly Refused[]
}

/** Compares candidates on problems with what is expected, one candidate after the other, as long as another may be begun. */
export async function sift(
  session: Session,
  places: readonly Place[],
  candidates: readonly Candidate[],
  over: (candidate: Candidate) => boolean,
): Promise<Sifted> {
  const right: Right[] = []
  const refused: Refused[] = []
  for (const candidate of candidates) {
    if (over(candidate)) continue
    const found = await verdict(places, candidate)
    if (typeof found === 'number') right.push({ ...candidate, error: found })
    else {
      refused.push(refusedAs(candidate, found))
      session.say(`refused ${candidate.kernel.name}: ${found}`)
    }
    if (session.runtime.lost) break
  }
  return { right, refused }
}

/** The largest error of a candidate, or what is wrong with it. */
async function verdict(places: readonly Place[], { kernel }: Candidate): Promise<number | string> {
  let largest = 0
  for (const { check, where } of places) {
    try {
      const { error, wrong } = await check.run(kernel)
      if (wrong !== null) return `wrong for ${where}: ${wrong}`
      largest = Math.max(largest, error)
    } catch (error) {
      if (error instanceof CommandError) throw error
      return `failed for ${where}: ${textOf(error).split('\n')[0]}`
    }
  }
  return largest
}

/** What any of them writes. */
export const outputsOf = (candidates: readonly Candidate[]): string[] => [
  ...new Set(
    candidates.flatMap(({ kernel }) =>
      kernel.bindings.filter(({ access }) => access !== 'read').map(({ name }) => name),
    ),
  ),
]

/** The candidates that are right on the small shapes of a tunable, every number of them; fewer where the time is up. */
export async function tried(
  session: Session,
  tunable: Tunable,
  candidates: Candidates,
  over: (candidate: Candidate) => boolean,
): Promise<Candidates> {
  const { feasible, refused } = candidates
  // where none may be begun, what is expected need not be known
  if (feasible.every(over)) return { ...candidates, feasible: [] }
  const benches: Bench[] = []
  try {
    const places: Place[] = []
    for (const shape of tunable.trials) {
      const bench = await Bench.open(session.runtime, tunable, shape, 0)
      benches.push(bench)
      places.push({ check: Check.of(bench, outputsOf(feasible), 'all'), where: shapeText(shape) })
    }
    const sifted = await sift(session, places, feasible, over)
    return { ...candidates, feasible: sifted.right, refused: [...refused, ...sifted.refused] }
  } finally {
    if (!session.runtime.lost) for (const bench of benches) bench.close()
  }
}
