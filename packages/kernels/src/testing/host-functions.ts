import * as kernels from '../index'

export type HostFunction = (...args: readonly unknown[]) => Promise<unknown>

/** What runs no kernel, but uploads or asks how far a device is to be trusted with a kernel: its arguments have no names. */
const OTHERS = ['gated', 'trusted', 'verdicts', 'uploadWeights']

/** All else that takes a runtime, by name. */
export const hostFunctions = Object.entries(kernels).flatMap(([name, value]) => {
  const takesRuntime = typeof value === 'function' && /^[^(]*\(runtime\b/.test(String(value))
  return takesRuntime && !OTHERS.includes(name) ? [[name, value as HostFunction] as const] : []
})

/** What stands between the runtime and the arguments. */
export const BEFORE: Readonly<Record<string, readonly unknown[]>> = {
  runElementwise: [kernels.ops.add],
  reduce: ['sum'],
}
