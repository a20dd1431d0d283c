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
 * All combinations of a tunable as kernels: those that its author, the limits or the features of the device rule out are
 * counted by their reasons, the others are compiled, all side by side.
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
  const names = new Map<string, Choices>()
  const refused: Refused[] = []
  const compiling: Promise<void>[] = []
  let done = 0
  for (const choices of all) {
    const rule = tunable.feasible?.(choices, facts) ?? true
    const built = rule === true ? build(tunable, choices, facts) : { infeasible: rule }
    if ('failed' in built) refused.push({ choices, kernel: '', hash: '', because: built.failed })
    const reason =
      'infeasible' in built ? built.infeasible : 'kernel' in built ? obstacle(built.kernel, runtime, select) : null
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    if (reason !== null || !('kernel' in built)) continue
    const { kernel } = built
    if (feasible.has(kernel.hash)) {
      counts.set(SAME, (counts.get(SAME) ?? 0) + 1)
      continue
    }
    checkName(tunable, names, kernel.name, choices)
    feasible.set(kernel.hash, { choices, kernel })
    compiling.push(
      runtime
        .warmup([kernel])
        .catch((error: unknown) => {
          feasible.delete(kernel.hash)
          const [because = ''] = textOf(error).split('\n')
          refused.push({ choices, kernel: kernel.name, hash: kernel.hash, because })
        })
        .then(() => progress(++done, compiling.length)),
    )
    // the device compiles while the next one is built
    await new Promise(setImmediate)
  }
  await Promise.all(compiling)
  const infeasible = [...counts].map(([because, count]) => ({ because, count }))
  return { feasible: [...feasible.values()], refused, infeasible }
}

const SAME = 'the same kernel as another combination'

/** A choice is made by the name of a kernel, so two kernels may not share one. */
function checkName(tunable: Tunable, names: Map<string, Choices>, name: string, choices: Choices): void {
  const other = names.get(name)
  if (other) {
    throw new CommandError(
      'bad-tunable',
      `${titleOf(tunable)}: two kernels are called '${name}': ${choicesText(other)}, and ${choicesText(choices)}`,
      'let the name say what was chosen',
    )
  }
  names.set(name, choices)
}
