import type { Runtime } from '@weft/runtime'
import type { CompiledKernel } from '../../artifact'
import { compile } from '../../compile'
import type { Refused } from '../../tune/results'
import type { Choices, Tunable, TuneFacts } from '../../tune/tunable'
import { CommandError } from '../command'
import { isWeftError, textOf } from '../errors'
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
}

/** Every combination of the values of each choice. */
export function combinations(space: Readonly<Record<string, readonly Choices[string][]>>): Choices[] {
  return Object.entries(space).reduce<Choices[]>(
    (all, [name, values]) => all.flatMap((choices) => values.map((value) => ({ ...choices, [name]: value }))),
    [{}],
  )
}

export const choicesText = (choices: Choices): string =>
  Object.entries(choices)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

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

/**
 * All combinations of a tunable, and `extra` ones, as kernels: those that its author, the limits or the features of the device rule out
 * are counted by their reasons, the others are compiled, all side by side.
 */
export async function candidatesOf(
  tunable: Tunable,
  extra: readonly Choices[],
  runtime: Runtime,
  select: Select,
  progress: (done: number, of: number) => void,
): Promise<Candidates> {
  const facts: TuneFacts = { features: runtime.info.features, limits: runtime.info.limits }
  const all = combinations(tunable.space)
  for (const choices of extra) if (!all.some((one) => sameChoices(one, choices))) all.push(choices)
  const counts = new Map<string, number>()
  const feasible = new Map<string, Candidate>()
  const refused: Refused[] = []
  const compiling: Promise<void>[] = []
  let done = 0
  const compileOne = async (candidate: Candidate): Promise<void> => {
    const because = await failure(runtime, candidate.kernel)
    if (because !== null) {
      feasible.delete(candidate.kernel.hash)
      refused.push(refusedAs(candidate, because))
    }
    progress(++done, compiling.length)
  }
  for (const choices of all) {
    const made = candidateOf(tunable, choices, facts, (kernel) =>
      feasible.has(kernel.hash) ? SAME : obstacle(kernel, runtime, select),
    )
    if ('infeasible' in made) counts.set(made.infeasible, (counts.get(made.infeasible) ?? 0) + 1)
    else if ('failed' in made) refused.push({ choices, kernel: '', hash: '', because: made.failed })
    else {
      checkName(tunable, feasible, made)
      feasible.set(made.kernel.hash, made)
      compiling.push(compileOne(made))
    }
    // the device compiles while the next one is built
    await new Promise(setImmediate)
  }
  await Promise.all(compiling)
  const infeasible = [...counts].map(([because, count]) => ({ because, count }))
  return { feasible: [...feasible.values()], refused, infeasible }
}

const SAME = 'the same kernel as another combination'

function candidateOf(
  tunable: Tunable,
  choices: Choices,
  facts: TuneFacts,
  against: (kernel: CompiledKernel) => string | null,
): Candidate | Exclude<Built, { readonly kernel: CompiledKernel }> {
  const rule = tunable.feasible?.(choices, facts) ?? true
  if (rule !== true) return { infeasible: rule }
  const built = build(tunable, choices, facts)
  if (!('kernel' in built)) return built
  const reason = against(built.kernel)
  return reason === null ? { choices, kernel: built.kernel } : { infeasible: reason }
}

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
