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

/** Compares candidates on a problem with what is expected, one after the other. */
export async function sift(
  session: Session,
  check: Check,
  candidates: readonly Candidate[],
  where: string,
): Promise<{ readonly right: readonly Right[]; readonly refused: readonly Refused[] }> {
  const right: Right[] = []
  const refused: Refused[] = []
  for (const candidate of candidates) {
    const because = await check.run(candidate.kernel).then(
      ({ error, wrong }) => (wrong === null ? { error } : `wrong for ${where}: ${wrong}`),
      (error: unknown) => {
        if (error instanceof CommandError) throw error
        return `failed for ${where}: ${textOf(error).split('\n')[0]}`
      },
    )
    if (typeof because === 'object') right.push({ ...candidate, ...because })
    else {
      refused.push(refusedAs(candidate, because))
      session.say(`refused ${candidate.kernel.name}: ${because}`)
    }
    if (session.runtime.lost) break
  }
  return { right, refused }
}

/** What any of them writes. */
export const outputsOf = (candidates: readonly Candidate[]): string[] => [
  ...new Set(
    candidates.flatMap(({ kernel }) =>
      kernel.bindings.filter(({ access }) => access !== 'read').map(({ name }) => name),
    ),
  ),
]

/** The candidates that are right on the small shapes of a tunable, every number of them. */
export async function tried(session: Session, tunable: Tunable, candidates: Candidates): Promise<Candidates> {
  let { feasible, refused } = candidates
  for (const shape of feasible.length > 0 ? tunable.trials : []) {
    const bench = await Bench.open(session.runtime, tunable, shape, 0)
    try {
      const check = Check.of(bench, outputsOf(feasible), 'all')
      const sifted = await sift(session, check, feasible, shapeText(shape))
      feasible = sifted.right
      refused = [...refused, ...sifted.refused]
    } finally {
      if (!session.runtime.lost) bench.close()
    }
  }
  return { ...candidates, feasible, refused }
}
