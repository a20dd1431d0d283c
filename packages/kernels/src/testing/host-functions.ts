import * as kernels from '../index'

export type HostFunction = (...args: readonly unknown[]) => Promise<unknown>

/** What asks how far a device is to be trusted with a kernel; it has no arguments by name. */
const VERIFY = ['gated', 'trusted', 'verdicts']

/** All else that takes a runtime, by name. */
export const hostFunctions = Object.entries(kernels).flatMap(([name, value]) => {
  const takesRuntime = typeof value === 'function' && /^[^(]*\(runtime\b/.test(String(value))
  return takesRuntime && !VERIFY.includes(name) ? [[name, value as HostFunction] as const] : []
})

/** What stands between the runtime and the arguments. */
export const BEFORE: Readonly<Record<string, readonly unknown[]>> = {
  runElementwise: [kernels.ops.add],
  reduce: ['sum'],
}
