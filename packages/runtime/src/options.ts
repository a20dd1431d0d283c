import type { Executor } from '@weft/codegen'
import type { RuntimeOptions } from './create'
import { fault, quoted, shown } from './errors'
import type { HeapOptions } from './pool/heap'

/** Every option, so that one which is added to a type and not to its list does not compile. */
export type Keys<T> = Readonly<Record<keyof T, true>>

const RUNTIME: Keys<RuntimeOptions> = {
  device: true,
  gpu: true,
  powerPreference: true,
  forceFallbackAdapter: true,
  features: true,
  limits: true,
  label: true,
  memory: true,
  maxDispatchesPerSubmit: true,
  maxSubmitsInFlight: true,
  passes: true,
  debug: true,
}
const MEMORY: Keys<HeapOptions> = { maxIdleBytes: true, stacks: true }

export const isExecutor = (device: object): device is Executor => 'kind' in device && device.kind === 'cpu'
const isGPUDevice = (device: object): boolean => 'queue' in device && 'createComputePipelineAsync' in device

/**
 * Throws `bad-argument` where the device is none, or an option is misspelled, which would otherwise be as if it had not
 * been given.
 */
export function checkOptions(options: RuntimeOptions): void {
  checkNames(options, RUNTIME)
  const { device } = options
  if (device === undefined || (typeof device === 'object' && device && (isExecutor(device) || isGPUDevice(device))))
    return
  throw fault('bad-argument', `device is ${shown(device)}, expected a GPUDevice or an executor such as cpu()`)
}

/** Throws `bad-argument` where an option, or one of its `memory`, is none of the `known`. */
export function checkNames(options: { readonly memory?: unknown }, known: Keys<object>): void {
  check('createRuntime', options, known)
  if (options.memory !== undefined) check("the option 'memory'", options.memory, MEMORY)
}

function check(what: string, given: unknown, known: Keys<object>): void {
  if (typeof given !== 'object' || given === null) {
    throw fault('bad-argument', `${what} was given ${shown(given)}, expected an object`)
  }
  const names = Object.keys(known)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw fault('bad-argument', `${what} knows no option '${unknown}'`, `its options are ${quoted(names)}`)
  }
}
