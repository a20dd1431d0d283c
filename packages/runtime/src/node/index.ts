import { createRuntime as create, type RuntimeOptions } from '../create'
import type { Runtime } from '../runtime'
import { type DawnOptions, openGpu } from './gpu'

export * from '../index'
export { type DawnOptions, openGpu } from './gpu'

export interface NodeRuntimeOptions extends RuntimeOptions, DawnOptions {}

/**
 * `createRuntime` for Node, over Dawn from the npm package `webgpu` (an optional peer, loaded only here). Where the
 * machine has no GPU and no other Vulkan driver is named, it takes SwiftShader if that is installed: slow, but right.
 *
 * Rejects `no-webgpu` (the package is not installed or has no build for this machine), `no-adapter` or `no-device`.
 */
export async function createRuntime(options: NodeRuntimeOptions = {}): Promise<Runtime> {
  const { dawn, ...rest } = options
  if (rest.device !== undefined && rest.gpu === undefined) return create(rest)
  return create({ ...rest, gpu: rest.gpu ?? (await openGpu(dawn ? { dawn } : {})) })
}
