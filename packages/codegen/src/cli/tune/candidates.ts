import type { Runtime } from '@weft/runtime'
import type { CompiledKernel } from '../../artifact'
import { compile } from '../../compile'
import type { Refused, TunedShape } from '../../tune/results'
import type { Choices, Tunable, TuneFacts } from '../../tune/tunable'
import { CommandError } from '../command'
import { isWeftError, textOf } from '../errors'
import type { Deadline } from './deadline'
import { titleOf } from './problem'

/** A combination of choices that this device can run, as far as can be told without running it. */
export interface Candidate {
  readonly choices: Choices
  readonly kernel: CompiledKernel
}

export interface Candidates {
  readonly feasible: readonly Candidate[]
  /** What could not be compiled. */
  readonly refused: readonly Refused[]
  /** How many combinations were no candidates, by the reason. */
  readonly infeasible: readonly { readonly because: string; readonly count: number }[]
  /** All combinations: those that are neither feasible, refused nor infeasible were not reached in time. */
  readonly all: readonly Choices[]
  /** The hash of each kernel that was built, by the key of its choices. */
  readonly hashes: ReadonlyMap<string, string>
}

/** Every combination of the values of each choice. */
export function combinations(space: Readonly<Record<string, readonly Choices[string][]>>): Choices[] {
  return Object.entries(space).reduce<Choices[]>(
    (all, [name, values]) => all.flatMap((choices) => values.map((value) => ({ ...choices, [name]: value }))),
    [{}],
  )
}

/**
 * All combinations of a tunable and its incumbents, the most important ones first: the incumbents, those that earlier results go on
 * with, those that they know nothing of, and the others.
 */
export function ordered(
  tunable: Tunable,
  incumbents: readonly Choices[],
  earlier: readonly TunedShape[],
): readonly Choices[] {
  const all = combinations(tunable.space)
  for (const choices of incumbents) if (!all.some((one) => sameChoices(one, choices))) all.push(choices)
  const next = new Set(earlier.flatMap((result) => result.next))
  const known = earlier.flatMap(({ candidates, refused }) => [...candidates, ...refused])
  const rank = new Map(known.map(({ choices, hash }) => [choicesKey(choices), next.has(hash) ? 1 : 3]))
  for (const choices of incumbents) rank.set(choicesKey(choices), 0)
  const rankOf = (choices: Choices): number => rank.get(choicesKey(choices)) ?? 2
  return all.sort((a, b) => rankOf(a) - rankOf(b))
}

export const choicesText = (choices: Choices): string =>
  Object.entries(choices)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** The same for the same choices, in whatever order they are named. */
export const choicesKey = (choices: Choices): string => JSON.stringify(Object.entries(choices).sort())

export const sameChoices = (a: Choices, b: Choices): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value)

/** What the validation of a kernel says where a device of more could run it. */
const LIMITS = ['workgroup-size', 'workgroup-memory', 'too-many-bindings', 'private-memory', 'immediate-size']

type Built = { readonly kernel: CompiledKernel } | { readonly infeasible: string } | { readonly failed: string }

function build(tunable: Tunable, choices: Choices, facts: TuneFacts): Built {
  try {
    const source = tunable.kernel(choices)
    // params in uniform blocks, as prepared dispatches have them: one module for each candidate
    return { kernel: compile(source, { params: 'uniform', limits: facts.limits }) }
  } catch (error) {
    if (!isWeftError(error)) throw error
    const [first = textOf(error)] = textOf(error).split('\n')
    return LIMITS.includes(error.code) ? { infeasible: `${error.code}, a limit of the device` } : { failed: first }
  }
}

type Select = typeof import('@weft/runtime/node')['selectVariant']

/** Why the device can run no variant of a kernel. */
function obstacle(kernel: CompiledKernel, { info }: Runtime, select: Select): string | null {
  const facts = {
    features: new Set(info.features),
    languageFeatures: new Set(info.languageFeatures),
    limits: info.limits,
  }
  const { variant, rejected } = select(kernel.variants, facts)
  // those for aliases are no reason
  const [reason] = rejected.filter(({ because }) => !because.startsWith('is for'))
  return variant ? null : (reason?.because.replace(/ ≥ .*/, ', a limit of the device') ?? 'has no variant')
}

/** What there is to know for making candidates. */
export interface Making {
  readonly tunable: Tunable
  readonly runtime: Runtime
  readonly select: Select
  /** All combinations, the most important ones first. */
  readonly all: readonly Choices[]
  readonly deadline: Deadline
  /** Those that are worth all of the time. */
  urgent(choices: Choices): boolean
  progress(done: number, of: number): void
}

/**
 * Combinations of a tunable as kernels: those that its author, the limits or the features of the device rule out are counted by
 * their reasons, the others are compiled side by side, as long as there is time.
 */
export async function candidatesOf(making: Making): Promise<Candidates> {
  const { tunable, runtime, all, deadline, urgent } = making
  const facts: TuneFacts = { features: runtime.info.features, limits: runtime.info.limits }
  const found = new Found(making)
  // what the author rules out costs nothing to know
  const allowed = all.filter((choices) => {
    const rule = tunable.feasible?.(choices, facts) ?? true
    if (rule !== true) found.count(rule)
    return rule === true
  })
  for (const choices of allowed) {
    if (deadline.over(urgent(choices))) continue
    const candidate = found.build(choices, facts)
    if (candidate) {
      await found.room()
      if (!deadline.over(urgent(choices))) found.compile(candidate)
    }
    // the device compiles while the next one is built
    await new Promise(setImmediate)
  }
  return found.ended()
}

/** What became of the combinations so far. */
class Found {
  readonly #counts = new Map<string, number>()
  readonly #built = new Map<string, Candidate>()
  readonly #hashes = new Map<string, string>()
  readonly #feasible = new Set<Candidate>()
  readonly #refused: Refused[] = []
  readonly #compiling = new Set<Promise<void>>()
  #done = 0

  constructor(readonly making: Making) {}

  count(because: string): void {
    this.#counts.set(because, (this.#counts.get(because) ?? 0) + 1)
  }

  /** The kernel of a combination, unless the device cannot run it, or it cannot be built. */
  build(choices: Choices, facts: TuneFacts): Candidate | null {
    const { tunable, runtime, select } = this.making
    const made = build(tunable, choices, facts)
    if ('failed' in made) this.#refused.push({ choices, kernel: '', hash: '', because: made.failed })
    else if ('infeasible' in made) this.count(made.infeasible)
    else {
      const { kernel } = made
      this.#hashes.set(choicesKey(choices), kernel.hash)
      const because = this.#built.has(kernel.hash) ? SAME : obstacle(kernel, runtime, select)
      if (because !== null) this.count(because)
      else {
        checkName(tunable, this.#built, { choices, kernel })
        this.#built.set(kernel.hash, { choices, kernel })
        return { choices, kernel }
      }
    }
    return null
  }

  /** Waits until another one may be compiled. */
  async room(): Promise<void> {
    while (this.#compiling.size >= this.making.deadline.abreast) await Promise.race(this.#compiling)
  }

  compile(candidate: Candidate): void {
    this.#feasible.add(candidate)
    const compiling = failure(this.making.runtime, candidate.kernel).then((because) => {
      this.#compiling.delete(compiling)
      if (because !== null) {
        this.#feasible.delete(candidate)
        this.#refused.push(refusedAs(candidate, because))
      }
      this.making.progress(++this.#done, this.#done + this.#compiling.size)
    })
    this.#compiling.add(compiling)
  }

  async ended(): Promise<Candidates> {
    await Promise.all(this.#compiling)
    return {
      feasible: [...this.#feasible],
      refused: this.#refused,
      infeasible: [...this.#counts].map(([because, count]) => ({ because, count })),
      all: this.making.all,
      hashes: this.#hashes,
    }
  }
}

const SAME = 'the same kernel as another combination'

/** Why the device does not compile a kernel, or null. */
const failure = (runtime: Runtime, kernel: CompiledKernel): Promise<string | null> =>
  runtime.warmup([kernel]).then(
    () => null,
    (error: unknown) => textOf(error).split('\n')[0] ?? '',
  )

export const refusedAs = ({ choices, kernel }: Candidate, because: string): Refused => ({
  choices,
  kernel: kernel.name,
  hash: kernel.hash,
  because,
})

/** A choice is made by the name of a kernel, so two kernels may not share one. */
function checkName(tunable: Tunable, known: ReadonlyMap<string, Candidate>, { kernel, choices }: Candidate): void {
  const other = [...known.values()].find((one) => one.kernel.name === kernel.name)
  if (!other) return
  throw new CommandError(
    'bad-tunable',
    `${titleOf(tunable)}: two kernels are called '${kernel.name}': ${choicesText(other.choices)}, and ${choicesText(choices)}`,
    'let the name say what was chosen',
  )
}
