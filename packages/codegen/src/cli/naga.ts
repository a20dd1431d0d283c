import { CommandError } from './command'
import { textOf } from './errors'

export type NagaTarget = 'msl' | 'hlsl'

const INSTALL = 'npm install --save-dev naga-wasm'

/** The package `naga-wasm`, an optional peer; null where it is not installed. */
export async function loadNaga() {
  try {
    return await import('naga-wasm')
  } catch {
    return null
  }
}

/**
 * naga takes the subgroup operations and rejects the word that Chrome's compiler asks for, so that it goes; lines keep
 * their numbers.
 */
const forNaga = (wgsl: string): string => wgsl.replace(/^enable subgroups;$/m, '')

/** WGSL as Metal Shading Language 2.4 or HLSL of shader model 6.2, by naga. */
export async function translate(wgsl: string, target: NagaTarget): Promise<string> {
  const naga = await loadNaga()
  if (naga === null)
    throw new CommandError('not-installed', `${target} is made by naga-wasm, which is not installed`, INSTALL)
  let step = 'parse'
  try {
    using module = disposable(naga.parseWgsl(forNaga(wgsl)))
    step = 'validate'
    using info = disposable(naga.validate(module.value))
    step = 'write'
    return target === 'msl'
      ? naga.writeMsl(module.value, info.value, { langVersion: [2, 4] })
      : naga.writeHlsl(module.value, info.value, { shaderModel: '6_2' })
  } catch (error) {
    const { formatted } = error as { formatted?: string }
    throw new CommandError(
      'naga-rejects',
      `naga cannot ${step} this kernel: ${formatted ?? textOf(error)}`,
      'weft show --profile firefox emits what naga takes',
    )
  }
}

/** A handle of naga's memory, freed at the end of its block. */
function disposable<T extends { free(): void }>(value: T) {
  return { value, [Symbol.dispose]: () => value.free() }
}
