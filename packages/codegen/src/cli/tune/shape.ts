import { sha256 } from '../../compile/sha256'
import type { Refused, Timed, TunedShape } from '../../tune/results'
import type { Choices, Shape, Tunable } from '../../tune/tunable'
import { CommandError } from '../command'
import { type Candidate, type Candidates, sameChoices } from './candidates'
import { Check } from './check'
import { bySpeed, type Score, samplesOf, survivors, winnerOf } from './halving'
import { Bench, shapeText, titleOf } from './problem'
import { Contestant, round } from './series'
import type { Session } from './session'
import { outputsOf, type Right, sift } from './sift'

/** Finds the fastest candidate for a shape, beside the incumbent, until `deadline` (milliseconds of performance.now()). */
export async function tuneShape(
  session: Session,
  tunable: Tunable,
  candidates: Candidates,
  shape: Shape,
  deadline: number,
): Promise<TunedShape> {
  const { family, type } = tunable
  const key = sha256(JSON.stringify([shape, candidates.feasible.map(({ kernel }) => kernel.hash).sort()])).slice(0, 16)
  const known = session.results.find({ family, type, shape })
  const earlier = known?.key === key ? known : undefined
  const title = `${titleOf(tunable)}, ${shapeText(shape)}`
  if (known && !earlier) session.say(`${title}: the candidates have changed since, so they are measured anew`)
  if (earlier?.state === 'done') {
    session.say(`${title}: done before`)
    return earlier
  }
  if (candidates.feasible.length === 0) return nothing(session, candidates, { family, type, shape, key })
  const bench = await Bench.open(session.runtime, tunable, shape, session.cacheBytes)
  try {
    const tuning = new ShapeTuning(session, tunable, candidates, bench, { family, type, shape, key, title }, earlier)
    return await tuning.run(deadline)
  } finally {
    if (!session.runtime.lost) bench.close()
  }
}

const hashesOf = (candidates: readonly Candidate[]): string[] => candidates.map(({ kernel }) => kernel.hash)

const today = (): string => new Date().toISOString().slice(0, 10)

/** Where there is nothing to compare, nothing of the problem is made: the device may lack its types as well. */
function nothing(
  { results }: Session,
  { refused, infeasible }: Candidates,
  of: Pick<TunedShape, 'family' | 'type' | 'shape' | 'key'>,
): TunedShape {
  const empty = { round: 0, next: [], winner: null, incumbent: null, candidates: [] }
  const result = { ...of, ...empty, state: 'done', date: today(), refused, infeasible } as const
  results.put(result)
  return result
}

interface About {
  readonly family: string
  readonly type: string
  readonly shape: Shape
  readonly key: string
  readonly title: string
}

/** The rounds of one shape. */
class ShapeTuning {
  readonly #incumbent: Choices
  #timed = new Map<string, Timed>()
  #refused: readonly Refused[]
  #round = 0
  #next: readonly string[]

  constructor(
    readonly session: Session,
    tunable: Tunable,
    readonly candidates: Candidates,
    readonly bench: Bench,
    readonly about: About,
    earlier: TunedShape | undefined,
  ) {
    this.#incumbent = tunable.incumbent(about.shape)
    this.#refused = candidates.refused
    this.#next = earlier?.next ?? hashesOf(candidates.feasible)
    if (earlier === undefined) return
    this.#round = earlier.round
    this.#timed = new Map(earlier.candidates.map((timed) => [timed.hash, timed]))
    const hashes = new Set(this.#refused.map(({ hash }) => hash))
    this.#refused = [...this.#refused, ...earlier.refused.filter(({ hash }) => !hashes.has(hash))]
    session.say(`${about.title}: goes on with round ${this.#round + 1}`)
  }

  async run(deadline: number): Promise<TunedShape> {
    const { session, about } = this
    const right = await this.#verified()
    const base = this.#baseOf(right)
    if (base === undefined) {
      this.#next = []
      return this.#put('done')
    }
    const contestants = new Map<Right, Contestant>()
    for (const one of right) contestants.set(one, await Contestant.prepare(one.kernel, this.bench, session.clock))
    const get = (one: Right): Contestant => contestants.get(one) as Contestant
    const over = (): boolean => performance.now() > deadline
    let challengers = right.filter((one) => one !== base)
    for (;;) {
      const all = [base, ...challengers]
      this.#next = hashesOf(all)
      const samples = samplesOf(this.#round, challengers.length, session.samples)
      session.say(`${about.title}: round ${this.#round + 1}, ${all.length} kernels, ${samples} samples each`)
      const scores = await round(all.map(get), get(base), { samples, heatMs: session.heatMs, over })
      this.#note(all, scores)
      const whole = scores.filter((score): score is Score => score !== null)
      if (whole.length < all.length || (whole[0] as Score).samples < samples) return this.#put('stopped')
      const next = survivors(whole.slice(1))
      if (next === null) {
        this.#next = []
        return this.#put('done')
      }
      challengers = next.map((i) => challengers[i] as Right)
      this.#next = hashesOf([base, ...challengers])
      this.#round++
      this.#put('running')
    }
  }

  #isIncumbent = ({ choices }: Pick<Candidate, 'choices'>): boolean => sameChoices(choices, this.#incumbent)

  /** Those of the next round that are right on this problem. */
  async #verified(): Promise<readonly Right[]> {
    const { session, about, bench } = this
    const refusedBefore = new Set(this.#refused.map(({ hash }) => hash))
    const entrants = this.candidates.feasible.filter(
      ({ kernel: { hash } }) => this.#next.includes(hash) && !refusedBefore.has(hash),
    )
    session.say(`${about.title}: checks ${entrants.length} kernels`)
    const check = Check.of(bench, outputsOf(entrants), 'some')
    const { right, refused } = await sift(session, check, entrants, shapeText(about.shape))
    this.#refused = [...this.#refused, ...refused]
    if (!session.runtime.lost) return right
    // the file says which one it was, so that the next run leaves it out
    this.#put('running')
    throw new CommandError(
      'device-lost',
      `the device was lost while ${refused.at(-1)?.kernel} ran`,
      'go on with --resume',
    )
  }

  /** What the others are timed beside: the incumbent, or the first one where that is refused. */
  #baseOf(contest: readonly Right[]): Right | undefined {
    const found = contest.find(this.#isIncumbent)
    if (found === undefined && contest.length > 0)
      this.session.say(
        `${this.about.title}: the incumbent is none of the right ones; ${contest[0]?.kernel.name} stands in`,
      )
    return found ?? contest[0]
  }

  #note(contest: readonly Right[], scores: readonly (Score | null)[]): void {
    contest.forEach(({ choices, kernel, error }, i) => {
      const score = scores[i]
      if (!score) return
      this.#timed.set(kernel.hash, {
        choices,
        kernel: kernel.name,
        hash: kernel.hash,
        ...score,
        round: this.#round,
        error,
      })
    })
  }

  #put(state: TunedShape['state']): TunedShape {
    const { family, type, shape, key } = this.about
    const all = [...this.#timed.values()]
    const rounds = [...new Set(all.map((timed) => timed.round))].sort((a, b) => b - a)
    const candidates = rounds.flatMap((at) => {
      const of = all.filter((timed) => timed.round === at)
      return bySpeed(of).map((i) => of[i] as Timed)
    })
    const incumbent = candidates.find(this.#isIncumbent) ?? null
    const latest = candidates.filter((timed) => timed.round === rounds[0])
    const result: TunedShape = {
      ...{ family, type, shape, state, key, round: this.#round, next: this.#next },
      date: today(),
      winner: winnerOf(latest, incumbent),
      incumbent,
      candidates,
      refused: this.#refused,
      infeasible: this.candidates.infeasible,
    }
    this.session.results.put(result)
    return result
  }
}
