import { tmpdir } from 'node:os'
import { fault, textOf } from '../errors'
import { softwareDriver } from './icd'

export interface DawnOptions {
  /**
   * Options for Dawn as `webgpu`'s `create` takes them: `backend=null`, `enable-dawn-features=allow_unsafe_apis`,
   * `disable-dawn-features=…`. One set for a process: the first runtime's.
   */
  readonly dawn?: readonly string[]
}

/** With it, SwiftShader takes 2 s instead of 40 ms to compile a kernel with 8 KiB of workgroup memory. Zeros all the same. */
const SLOW = 'use_vulkan_zero_initialize_workgroup_memory_extension'
const DISABLE = 'disable-dawn-features='

interface Opened {
  readonly gpu: GPU
  readonly options: string
}

/**
 * Held by the global object: a process may call Dawn's `create` only once, and crashes when the result is collected
 * while one of its devices lives. The key is the same for every copy of this package in the process.
 */
const KEPT = Symbol.for('weft.dawn')
const kept = globalThis as { [KEPT]?: Promise<Opened> }

const withDefaults = (given: readonly string[]): string[] => {
  const disabled = given.find((option) => option.startsWith(DISABLE))
  const others = given.filter((option) => option !== disabled)
  return [...others, disabled ? `${disabled},${SLOW}` : `${DISABLE}${SLOW}`]
}

async function open(options: readonly string[]): Promise<Opened> {
  const driver = softwareDriver(process.env)
  // the loader reads the environment when Dawn first looks for adapters
  if (driver !== undefined) process.env.VK_ICD_FILENAMES = driver
  // drivers look for a display through it, and say so on stderr when it is not set
  process.env.XDG_RUNTIME_DIR ??= tmpdir()
  try {
    const { create } = await import('webgpu')
    return { gpu: create([...options]), options: options.join(' ') }
  } catch (error) {
    throw fault(
      'no-webgpu',
      `Dawn could not be loaded: ${textOf(error)}`,
      "npm install webgpu; or run on the CPU: createRuntime({ device: cpu() }), with cpu from '@weft/codegen/interp'",
    )
  }
}

/** Dawn's `GPU` of this process, opened at the first call. Rejects `no-webgpu`, and `bad-argument` for other options than the first call's. */
export async function openGpu({ dawn }: DawnOptions = {}): Promise<GPU> {
  const wanted = withDefaults(dawn ?? [])
  if (!kept[KEPT]) {
    const opening = open(wanted)
    kept[KEPT] = opening
    opening.catch(() => delete kept[KEPT])
  }
  const { gpu, options } = await kept[KEPT]
  if (dawn !== undefined && options !== wanted.join(' ')) {
    throw fault(
      'bad-argument',
      `Dawn was opened with '${options}', now '${wanted.join(' ')}' is asked for`,
      'one set of options for a process',
    )
  }
  return gpu
}
