import type { CompiledKernel } from '@weft/codegen'
import type { Runtime } from '@weft/runtime'
import { checkRuntime } from './places'
import { plainest } from './plainest'

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
export const verdicts = (runtime: Runtime): readonly Verdict[] => {
  checkRuntime('verdicts', runtime)
  return [...(told.get(deviceOf(runtime)) ?? [])]
}

/** Whether a kernel is right on the device of a runtime; its trial is run once, when that is first asked for. */
export async function trusted(runtime: Runtime, kernel: CompiledKernel, trial: () => Promise<Trial>): Promise<boolean> {
  checkRuntime('trusted', runtime)
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

/** The kernel to use on a device: the one that is given, or its plainest variants where a variant of more features fails its trial. */
export async function gated(
  runtime: Runtime,
  kernel: CompiledKernel,
  trial: (kernel: CompiledKernel) => Promise<Trial>,
): Promise<CompiledKernel> {
  checkRuntime('gated', runtime)
  const fallback = plainest(kernel)
  if (fallback === kernel) return kernel
  return (await trusted(runtime, kernel, () => trial(kernel))) ? kernel : fallback
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
