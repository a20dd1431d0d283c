import { sha256 } from '../../compile/sha256'
import type { TunedShape } from '../../tune/results'
import type { Choices, Shape } from '../../tune/tunable'
import { type Candidates, choicesKey } from './candidates'

/** Of other combinations it is another one. */
export const keyOf = (shape: Shape, all: readonly Choices[]): string =>
  sha256(JSON.stringify([shape, all.map(choicesKey).sort()])).slice(0, 16)

/** Whether no kernel of a result is another one by now; of those that there was no time to build, it is taken for granted. */
export const sameProgram = ({ candidates, refused }: TunedShape, { hashes }: Candidates): boolean =>
  [...candidates, ...refused].every(({ choices, hash }) => (hashes.get(choicesKey(choices)) ?? hash) === hash)

export type Infeasible = Candidates['infeasible']

/** How many combinations nothing is known of. */
export function unreached(
  all: readonly Choices[],
  known: readonly { readonly choices: Choices }[],
  infeasible: Infeasible,
): number {
  const reached = new Set(known.map(({ choices }) => choicesKey(choices)))
  return Math.max(0, all.length - reached.size - infeasible.reduce((sum, { count }) => sum + count, 0))
}

/** What two runs found, each of which may have had no time to look at all combinations. */
export const mergedCounts = (a: Infeasible, b: Infeasible): Infeasible =>
  [...new Set([...a, ...b].map(({ because }) => because))].map((because) => {
    const counts = [...a, ...b].filter((one) => one.because === because).map(({ count }) => count)
    return { because, count: Math.max(...counts) }
  })
