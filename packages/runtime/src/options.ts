import type { Executor } from '@weft/codegen'
import type { StreamOptions } from './backend'
import type { RuntimeOptions } from './create'
import { fault, shown } from './errors'
import { checkKeys, type Keys } from './keys'
import type { HeapOptions } from './pool/heap'
import { checkWord } from './words'

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
  const { device, powerPreference, limits, features } = options
  checkWord('powerPreference', powerPreference, ['low-power', 'high-performance'])
  if (typeof limits !== 'object') checkWord('limits', limits, ['adapter', 'default'])
  if (features !== undefined && !Array.isArray(features)) {
    throw fault('bad-argument', `the option 'features' is ${shown(features)}, expected a list of names`)
  }
  if (device === undefined || (typeof device === 'object' && device && (isExecutor(device) || isGPUDevice(device))))
    return
  throw fault('bad-argument', `device is ${shown(device)}, expected a GPUDevice or an executor such as cpu()`)
}

interface Shared extends Partial<StreamOptions> {
  readonly memory?: unknown
}

/** Throws `bad-argument` where an option, or one of its `memory`, is none of the `known`. */
export function checkNames(options: Shared, known: Keys<object>): void {
  checkKeys('createRuntime', options, known)
  if (options.memory !== undefined) checkKeys("the option 'memory'", options.memory, MEMORY)
  const { passes, maxDispatchesPerSubmit, maxSubmitsInFlight } = options
  checkWord('passes', passes, ['single', 'each'])
  for (const [name, value] of Object.entries({ maxDispatchesPerSubmit, maxSubmitsInFlight })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw fault('bad-argument', `the option '${name}' is ${shown(value)}, expected a whole number of at least 1`)
  }
}
