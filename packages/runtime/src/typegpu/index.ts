import type { TgpuRoot } from 'typegpu'
import type { StreamOptions } from '../backend'
import { onDevice } from '../create'
import { fault, shown } from '../errors'
import type { Keys } from '../keys'
import { checkNames } from '../options'
import type { HeapOptions } from '../pool/heap'
import { unwrapWith } from './buffers'
import { TypegpuRuntime } from './runtime'

export type { TypegpuRuntime } from './runtime'

export interface TypegpuRuntimeOptions extends Partial<StreamOptions> {
  /** The root whose device is used. It stays the caller's: `destroy()` of the runtime leaves it alone. */
  readonly root: TgpuRoot
  /** Where the device comes from, for the language features that it has; by default `navigator.gpu`. */
  readonly gpu?: GPU | undefined
  /** How much memory of freed buffers is kept for reuse, and what is noted of live ones. */
  readonly memory?: HeapOptions | undefined
}

const OPTIONS: Keys<TypegpuRuntimeOptions> = {
  root: true,
  gpu: true,
  memory: true,
  maxDispatchesPerSubmit: true,
  maxSubmitsInFlight: true,
  passes: true,
}

const isRoot = (root: unknown): root is TgpuRoot =>
  typeof root === 'object' && root !== null && 'device' in root && 'unwrap' in root

/** A runtime on the device of a TypeGPU root: `createRuntime({ root: await tgpu.init() })`. Rejects `bad-argument`. */
export async function createRuntime(options: TypegpuRuntimeOptions): Promise<TypegpuRuntime> {
  checkNames(options, OPTIONS)
  const { root, gpu, memory } = options
  if (!isRoot(root)) {
    throw fault('bad-argument', `root is ${shown(root)}, expected a TypeGPU root`, 'await tgpu.init() gives one')
  }
  const onRoot = { gpu, memory, owned: false, unwrap: unwrapWith(root), stream: options }
  return new TypegpuRuntime(root, ...(await onDevice(root.device, onRoot)))
}
