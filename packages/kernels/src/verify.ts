import type { CompiledKernel } from '@weft/codegen'
import type { Runtime } from '@weft/runtime'
import type { HostOptions } from './host'

/**
 * `verify: true`: that a device has a feature does not make its numbers right. Before a fast kernel is first used on a device, it computes
 * a small problem of odd sizes, which is compared with the float64 reference, element by element, within the bound that is documented for
 * the function. A kernel that fails is not used on this device: the function takes the portable one.
 */

/** What a kernel computed, and what it should have. */
export interface Trial {
  readonly got: ArrayLike<number>
  readonly expected: ArrayLike<number>
  /** How far an element may be from what is expected: an error bound, which grows with the magnitudes that were added up. */
  readonly bound: (index: number) => number
}

/** What was found out about a kernel on a device. */
export interface Verdict {
  readonly kernel: string
  readonly ok: boolean
  /** The largest error in parts of its bound: 1 or less is right. null where it did not come to a result. */
  readonly error: number | null
  /** What is wrong with it, or ''. */
  readonly because: string
}

/** By device: runtimes on one GPUDevice share what is known of it. */
const known = new WeakMap<object, Map<string, Promise<Verdict>>>()
const told = new WeakMap<object, Verdict[]>()
const deviceOf = (runtime: Runtime): object => runtime.device ?? runtime

/** What was verified on the device of a runtime so far, in the order of first use. */
export const verdicts = (runtime: Runtime): readonly Verdict[] => [...(told.get(deviceOf(runtime)) ?? [])]

/** Whether a kernel is right on the device of a runtime; its trial is run once, when that is first asked for. */
export async function trusted(runtime: Runtime, kernel: CompiledKernel, trial: () => Promise<Trial>): Promise<boolean> {
  const device = deviceOf(runtime)
  const verdictsOfDevice = known.get(device) ?? new Map<string, Promise<Verdict>>()
  known.set(device, verdictsOfDevice)
  let verdict = verdictsOfDevice.get(kernel.hash)
  if (verdict === undefined) {
    verdict = judge(runtime, kernel, trial)
    verdictsOfDevice.set(kernel.hash, verdict)
    const list = told.get(device) ?? []
    told.set(device, list)
    void verdict.then((found) => list.push(found))
  }
  return (await verdict).ok
}

const plain = new WeakMap<CompiledKernel, CompiledKernel>()

/** What a variant computes by; where its params come from is no matter of numbers. */
const powersOf = ({ needs }: CompiledKernel['variants'][number]): readonly string[] =>
  [...needs.features, ...needs.languageFeatures].filter((name) => name !== 'immediate_address_space')

/** A kernel with those of its variants alone that need nothing which another one does without; itself where all need the same. */
export function plainest(kernel: CompiledKernel): CompiledKernel {
  const known = plain.get(kernel)
  if (known) return known
  const { variants } = kernel
  const needed = variants.map(powersOf)
  const all = needed[0]?.filter((name) => needed.every((names) => names.includes(name)))
  const kept = variants.filter((_, i) => needed[i]?.every((name) => all?.includes(name)))
  const made = kept.length === variants.length || kept.length === 0 ? kernel : { ...kernel, variants: kept }
  plain.set(kernel, made)
  return made
}

/** The kernel to use on a device: the one that is given, or its plainest variants where a variant of more features fails its trial. */
export async function gated(
  runtime: Runtime,
  kernel: CompiledKernel,
  trial: (kernel: CompiledKernel) => Promise<Trial>,
): Promise<CompiledKernel> {
  const fallback = plainest(kernel)
  if (fallback === kernel) return kernel
  return (await trusted(runtime, kernel, () => trial(kernel))) ? kernel : fallback
}

/** A small problem that a host function computes, by the options that it is given. */
export type TrialOf = (only: HostOptions) => Promise<Trial>

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

async function judge(runtime: Runtime, kernel: CompiledKernel, trial: () => Promise<Trial>): Promise<Verdict> {
  try {
    // compiled apart, since a launch that fails would be told again by `runtime.idle()`
    await runtime.load(kernel).compile()
    return { kernel: kernel.name, ...compare(await trial()) }
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    return { kernel: kernel.name, ok: false, error: null, because }
  }
}

function compare({ got, expected, bound }: Trial): Omit<Verdict, 'kernel'> {
  let [worst, at] = [0, -1]
  for (let i = 0; i < expected.length; i++) {
    const [is, want] = [got[i] as number, expected[i] as number]
    const distance = Math.abs(is - want)
    const part = is === want ? 0 : Number.isNaN(distance) ? Infinity : distance / bound(i)
    if (part > worst) [worst, at] = [part, i]
  }
  const ok = worst <= 1
  const because = ok ? '' : `element ${at} is ${got[at]}, expected ${expected[at]} ± ${bound(at).toPrecision(3)}`
  return { ok, error: worst, because }
}
