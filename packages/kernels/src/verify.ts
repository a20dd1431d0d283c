import type { CompiledKernel } from '@weft/codegen'
import type { Runtime } from '@weft/runtime'
import type { HostOptions } from './host'
import { plainest } from './plainest'
import type { Problem } from './problem'
import type { Trial } from './verdicts'

/**
 * `verify: true`: that a device has a feature does not make its numbers right. Before a fast kernel is first used on a device, it computes
 * a small problem of odd sizes, which is compared with the float64 reference, element by element, within the bound that is documented for
 * the function. A kernel that fails is not used on this device: the function takes the portable one.
 *
 * Problems, references and what compares them are loaded where they are asked for: who does not verify does not ship them.
 */

/** A small problem that a host function computes, by the options that it is given. */
export type TrialOf = (only: HostOptions) => Promise<Trial>

/** The trial of a host function by a problem of its family's `trial.ts`, which is loaded for it. */
export const trialOf =
  <Module, Args>(
    runtime: Runtime,
    load: () => Promise<Module>,
    problemOf: (problems: Module) => Problem<Args>,
    run: (runtime: Runtime, args: Args, options: HostOptions) => Promise<unknown>,
  ): TrialOf =>
  async (only) => {
    const [{ solve }, problems] = await Promise.all([import('./problem'), load()])
    return solve(runtime, problemOf(problems), (args) => run(runtime, args, only))
  }

/** In the options of a trial: the names of the kernels that it is of. All others are taken by their plainest variants. */
const TRIED = Symbol('tried')
interface TrialOptions extends HostOptions {
  readonly [TRIED]?: readonly string[]
}
const triedIn = (options: HostOptions): readonly string[] | undefined => (options as TrialOptions)[TRIED]

/** A kernel as a trial has it that may be of others. */
export const asTried = (kernel: CompiledKernel, name: string, options: HostOptions): CompiledKernel => {
  const tried = triedIn(options)
  return tried === undefined || tried.includes(name) ? kernel : plainest(kernel)
}

export interface TrialNames {
  /** The name under which the trial asks for the kernel, where that is another one. */
  readonly as?: string
  /** Kernels that compute nothing without each other. */
  readonly beside?: readonly CompiledKernel[]
}

/**
 * Whether a fast kernel may be used: without `verify` it may, and else where it is right, as is known or as a small problem shows that it alone
 * computes.
 */
export async function passes(
  runtime: Runtime,
  kernel: CompiledKernel,
  options: HostOptions,
  trial: TrialOf,
  { as = kernel.name, beside = [] }: TrialNames = {},
): Promise<boolean> {
  const tried = triedIn(options)
  if (tried) return tried.includes(as)
  if (!options.verify) return true
  const { trusted } = await import('./verdicts')
  return trusted(runtime, kernel, async () => {
    const only = { [TRIED]: [as, ...beside.map(({ name }) => name)] }
    if (options.kernel) return trial({ ...only, kernel })
    let used = false
    const kernels = (name: string): CompiledKernel | undefined => {
      used ||= name === as
      return name === as ? kernel : options.kernels?.(name)
    }
    const found = await trial({ ...only, kernels })
    if (!used) throw new Error('its trial was computed by another kernel')
    return found
  })
}

/** The kernel to use: the one that is given, or with `verify` its plainest variants where one of more features fails its trial. */
export async function proven(
  runtime: Runtime,
  kernel: CompiledKernel,
  options: HostOptions,
  trial: TrialOf,
): Promise<CompiledKernel> {
  const fallback = plainest(kernel)
  return fallback === kernel || (await passes(runtime, kernel, options, trial)) ? kernel : fallback
}
