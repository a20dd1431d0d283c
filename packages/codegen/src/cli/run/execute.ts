import type { CompiledBinding, CompiledKernel } from '../../artifact'
import { CommandError } from '../command'
import { isWeftError } from '../errors'
import type { RunArguments } from './arguments'
import type { Opened } from './engine'
import { decode, elementsOf } from './values'

/** What a kernel wrote, by binding, and how long it took. */
export interface Ran {
  readonly ms: number
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

/** What bindings hold before. */
export type Contents = Readonly<Record<string, Uint8Array<ArrayBuffer>>>

/** Runs a kernel once on an engine. */
export async function runOn(
  { runtime }: Opened,
  kernel: CompiledKernel,
  given: RunArguments,
  contents: Contents,
): Promise<Ran> {
  const buffers = Object.fromEntries(
    Object.entries(contents).map(([name, bytes]) => [name, runtime.buffer(bytes, { label: name })]),
  )
  const options = {
    overrides: given.overrides,
    ...(given.workgroups && { workgroups: given.workgroups }),
    ...(given.variant !== undefined && { variant: given.variant }),
  }
  await runtime
    .load(kernel)
    .compile(options)
    .catch((error: unknown) => {
      if (!isWeftError(error) || error.code !== 'no-variant' || given.variant !== undefined) throw error
      throw new CommandError(
        error.code,
        error.message.slice(error.code.length + 2),
        'the interpreter runs every variant: --engine cpu',
      )
    })
  const start = performance.now()
  await runtime.run(kernel, { ...buffers, ...given.params }, options)
  await runtime.idle()
  const ms = performance.now() - start
  const outputs: Record<string, Uint8Array> = {}
  for (const { name } of written(kernel)) {
    const buffer = buffers[name]
    if (buffer) outputs[name] = await buffer.read()
  }
  return { ms, outputs }
}

export const written = (kernel: CompiledKernel): CompiledBinding[] =>
  kernel.bindings.filter(({ access }) => access !== 'read')

/** The lanes of a binding's elements; null where it has no plain ones. */
export const numbers = (binding: CompiledBinding, bytes: Uint8Array): Float64Array | null => {
  const elements = elementsOf(binding)
  return elements && decode(bytes, elements)
}
