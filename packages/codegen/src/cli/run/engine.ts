import type { Runtime } from '@weft/runtime'
import type { OutOfRange } from '../../interp'
import { CommandError } from '../command'
import { textOf } from '../errors'
import type { EngineName } from './arguments'

export interface Opened {
  readonly runtime: Runtime
  /** Why it is not WebGPU, where `auto` had to fall back. */
  readonly fallback: string | null
}

export const RUNTIME_MISSING = 'npm install @weft/runtime webgpu'

/** The runtime for Node: an optional peer. */
export async function loadRuntime(): Promise<typeof import('@weft/runtime/node')> {
  try {
    return await import('@weft/runtime/node')
  } catch (error) {
    throw new CommandError(
      'not-installed',
      `kernels are run by @weft/runtime, which cannot be loaded: ${textOf(error)}`,
      RUNTIME_MISSING,
    )
  }
}

/**
 * A runtime on WebGPU or on the interpreter; `auto` takes the latter by itself where there is no WebGPU. `dawn` are options
 * for the former: who gives some wants it, and gets nothing else. `onOutOfRange` is told by the interpreter.
 */
export async function openEngine(
  name: EngineName,
  dawn: readonly string[] = [],
  onOutOfRange?: (access: OutOfRange) => void,
): Promise<Opened> {
  const { createRuntime } = await loadRuntime()
  const onCpu = async (fallback: string | null): Promise<Opened> => {
    const { cpu } = await import('../../interp')
    return { runtime: await createRuntime({ device: cpu({ ...(onOutOfRange && { onOutOfRange }) }) }), fallback }
  }
  if (name === 'cpu') return onCpu(null)
  try {
    return { runtime: await createRuntime(dawn.length > 0 ? { dawn } : {}), fallback: null }
  } catch (error) {
    if (dawn.length > 0) {
      const given = dawn.map((option) => `--dawn ${option}`).join(' ')
      throw new CommandError('no-webgpu', `WebGPU cannot be used with ${given}: ${textOf(error)}`)
    }
    if (name === 'webgpu') throw error
    return onCpu(textOf(error).split('\n')[0] ?? '')
  }
}

/** `WebGPU, NVIDIA H200`, `WebGPU, SwiftShader (software)`, `interpreter`. */
export function engineText({ info }: Runtime): string {
  if (info.backend === 'cpu') return info.adapter
  return `WebGPU, ${info.adapter}${info.software ? ' (software: a GPU emulated on the CPU)' : ''}`
}
