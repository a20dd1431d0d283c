import type { Refused, Timed, TunedShape } from '../../tune/results'
import type { Choices, Shape, Tunable } from '../../tune/tunable'
import { CommandError } from '../command'
import { type Candidate, type Candidates, choicesKey, sameChoices } from './candidates'
import { Check } from './check'
import { type Deadline, partUntil } from './deadline'
import { bySpeed, recalled, type Score, samplesOf, survivors, winnerOf } from './halving'
import { Bench, shapeText, titleOf } from './problem'
import { type Infeasible, keyOf, mergedCounts, sameProgram, unreached } from './reached'
import { Contestant, round } from './series'
import type { Session } from './session'
import { outputsOf, type Right, sift } from './sift'

/** Finds the fastest candidate for a shape, beside the incumbent, until `end` (milliseconds of performance.now()). */
export async function tuneShape(
  session: Session,
  tunable: Tunable,
  candidates: Candidates,
  shape: Shape,
  end: number,
): Promise<TunedShape> {
  const { family, type } = tunable
  const known = session.results.find({ family, type, shape })
  const key = keyOf(shape, candidates.all)
  const earlier = known?.key === key && sameProgram(known, candidates) ? known : undefined
  const title = `${titleOf(tunable)}, ${shapeText(shape)}`
  if (known && !earlier) session.say(`${title}: the candidates have changed since, so they are measured anew`)
  if (earlier?.state === 'done') {
    session.say(`${title}: done before`)
    return earlier
  }
  const about: About = { family, type, shape, key, title }
  if (candidates.feasible.length === 0) return earlier ?? nothing(session, candidates, about)
  const bench = await Bench.open(session.runtime, tunable, shape, session.cacheBytes)
  try {
    return await new ShapeTuning(session, tunable, candidates, bench, about, earlier).run(end)
  } finally {
    if (!session.runtime.lost) bench.close()
  }
}

const hashesOf = (candidates: readonly Candidate[]): string[] => candidates.map(({ kernel }) => kernel.hash)

const today = (): string => new Date().toISOString().slice(0, 10)

/** Where there is nothing to compare, nothing of the problem is made: the device may lack its types as well. */
function nothing({ results }: Session, candidates: Candidates, { family, type, shape, key }: About): TunedShape {
  const { refused, infeasible } = candidates
  const empty = { round: 0, next: [], winner: null, incumbent: null, candidates: [] }
  const notReached = unreached(candidates.all, refused, infeasible)
  const state = notReached > 0 ? 'stopped' : 'done'
  const result: TunedShape = {
    ...{ family, type, shape, key, ...empty },
    ...{ state, date: today(), refused, infeasible, notReached },
  }
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
  readonly #infeasible: Infeasible
  #timed = new Map<string, Timed>()
  #refused: readonly Refused[]
  #round = 0
  #next: readonly string[]
  /** Those of the round of before that there was no time to make ready again. */
  #waiting: readonly string[] = []

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
    this.#next = earlier?.next ?? []
    this.#infeasible = mergedCounts(candidates.infeasible, earlier?.infeasible ?? [])
    if (earlier === undefined) return
    this.#round = earlier.round
    this.#timed = new Map(earlier.candidates.map((timed) => [timed.hash, timed]))
    const again = new Set(this.#refused.map(({ choices }) => choicesKey(choices)))
    this.#refused = [...this.#refused, ...earlier.refused.filter(({ choices }) => !again.has(choicesKey(choices)))]
    session.say(`${about.title}: goes on with round ${this.#round + 1}`)
  }

  async run(end: number): Promise<TunedShape> {
    const { session } = this
    const right = await this.#verified(partUntil(end, 1 / 2))
    const ready = new Set([...hashesOf(right), ...this.#refused.map(({ hash }) => hash)])
    this.#waiting = this.#next.filter((hash) => !ready.has(hash))
    const base = this.#baseOf(right)
    if (base === undefined) return this.#end()
    const contestants = new Map<string, Contestant>()
    const over = (): boolean => performance.now() > end
    let challengers: readonly Right[] = right.filter((one) => one !== base)
    for (;;) {
      const all = [base, ...challengers]
      this.#next = [...hashesOf(all), ...this.#waiting]
      for (const { kernel } of all) {
        if (over()) return this.#put('stopped')
        if (!contestants.has(kernel.hash))
          contestants.set(kernel.hash, await Contestant.prepare(kernel, this.bench, session.clock))
      }
      if (!(await this.#timedAll(all, contestants, over))) return this.#put('stopped')
      const next = this.#nextOf(base, challengers)
      if (next === null) return this.#end()
      challengers = next
      this.#next = [...hashesOf([base, ...challengers]), ...this.#waiting]
      this.#round++
      this.#put('running')
    }
  }

  /** One round; whether there was time for all of it. */
  async #timedAll(
    all: readonly Right[],
    contestants: ReadonlyMap<string, Contestant>,
    over: () => boolean,
  ): Promise<boolean> {
    const { session, about } = this
    const samples = samplesOf(this.#round, all.length - 1, session.samples)
    session.say(`${about.title}: round ${this.#round + 1}, ${all.length} kernels, ${samples} samples each`)
    const get = ({ kernel }: Right): Contestant => contestants.get(kernel.hash) as Contestant
    const scores = await round(all.map(get), get(all[0] as Right), { samples, heatMs: session.heatMs, over })
    this.#note(all, scores)
    return scores.every((score) => score?.samples === samples)
  }

  /** Who challenges the incumbent next: the faster half, or those that deserve a second look; null after the last round. */
  #nextOf(base: Right, challengers: readonly Right[]): readonly Right[] | null {
    const next = survivors(challengers.map(({ kernel }) => this.#timed.get(kernel.hash) as Timed))
    if (next !== null) return next.map((i) => challengers[i] as Right)
    const { winner, latest, candidates } = this.#standing()
    const out = candidates.filter((one) => !latest.includes(one))
    const again =
      winner === null ? [] : recalled(out, winner, this.session.samples).flatMap((one) => this.#rightAs(one))
    if (again.length === 0) return null
    this.session.say(`${this.about.title}: a second look at ${again.length} that had looked faster in few samples`)
    return [...challengers.filter((one) => one !== base && one.kernel.hash === winner?.hash), ...again]
  }

  #rightAs = ({ hash, error }: Timed): Right[] =>
    this.candidates.feasible.filter(({ kernel }) => kernel.hash === hash).map((one) => ({ ...one, error }))

  #isIncumbent = ({ choices }: Pick<Candidate, 'choices'>): boolean => sameChoices(choices, this.#incumbent)

  /** Those of the next round, and those that nothing is known of, that are right on this problem: as many as there is time for. */
  async #verified(deadline: Deadline): Promise<readonly Right[]> {
    const { session, about, bench } = this
    const refusedBefore = new Set(this.#refused.map(({ hash }) => hash))
    const entrants = this.candidates.feasible.filter(
      ({ kernel: { hash } }) => (this.#next.includes(hash) || !this.#timed.has(hash)) && !refusedBefore.has(hash),
    )
    const over = (one: Candidate): boolean => deadline.over(this.#isIncumbent(one))
    // of the incumbents of all shapes, its own comes first
    const ordered = [...entrants.filter(this.#isIncumbent), ...entrants.filter((one) => !this.#isIncumbent(one))]
    if (ordered.every(over)) return []
    session.say(`${about.title}: checks ${entrants.length} kernels`)
    const places = [{ check: Check.of(bench, outputsOf(entrants), 'some'), where: shapeText(about.shape) }]
    const { right, refused } = await sift(session, places, ordered, over)
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

  /** Those of the latest round first, by speed, and who is ahead. */
  #standing() {
    const all = [...this.#timed.values()]
    const rounds = [...new Set(all.map((timed) => timed.round))].sort((a, b) => b - a)
    const candidates = rounds.flatMap((at) => {
      const of = all.filter((timed) => timed.round === at)
      return bySpeed(of).map((i) => of[i] as Timed)
    })
    const incumbent = candidates.find(this.#isIncumbent) ?? null
    const latest = candidates.filter((timed) => timed.round === rounds[0])
    return { candidates, incumbent, latest, winner: winnerOf(latest, incumbent) }
  }

  get #notReached(): number {
    return unreached(this.candidates.all, [...this.#timed.values(), ...this.#refused], this.#infeasible)
  }

  /** After the last round: those that were not reached are for another run, beside the last ones of this one. */
  #end(): TunedShape {
    if (this.#notReached > 0 || this.#waiting.length > 0) return this.#put('stopped')
    this.#next = []
    return this.#put('done')
  }

  #put(state: TunedShape['state']): TunedShape {
    const { family, type, shape, key } = this.about
    const { candidates, incumbent, winner } = this.#standing()
    const result: TunedShape = {
      ...{ family, type, shape, state, key, round: this.#round, next: this.#next },
      ...{ date: today(), winner, incumbent, candidates, refused: this.#refused },
      ...{ notReached: this.#notReached, infeasible: this.#infeasible },
    }
    this.session.results.put(result)
    return result
  }
}
