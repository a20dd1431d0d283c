import type { CompiledKernel } from '@weft/codegen'
import type { BufferLike, Runtime } from '@weft/runtime'
import { type Args, checkFields, checkKeys } from './args'
import { badArgument, shown } from './errors'
import { HOST_OPTIONS, type HostOptions, isCompiled } from './options'
import { bytesOf, checkPlaces, checkRuntime } from './places'
import { asTried } from './verify'

/** The kernel to run in place of one that ships. */
export function chosen(artifact: CompiledKernel, options: HostOptions): CompiledKernel {
  const { kernel, kernels } = options
  const own = kernel ?? kernels?.(artifact.name)
  if (own !== undefined && !isCompiled(own))
    throw badArgument(`kernels('${artifact.name}') must be a compiled kernel or undefined, got ${shown(own)}`, COMPILE)
  return asTried(own ?? artifact, artifact.name, options)
}

/** A kernel that suits a device, where it can be run there: the CPU device takes those alone that the caller hands in, with their IR. */
export const atHand = (
  kernel: CompiledKernel | undefined,
  { info }: Runtime,
  { kernels }: HostOptions,
): CompiledKernel | undefined => (kernel && (info.backend !== 'cpu' || kernels?.(kernel.name)) ? kernel : undefined)

const COMPILE = 'compile(source) of @weft/codegen makes one of a source'

/**
 * What every host function does first: refuses options that it does not read, arguments and options that are not what their tables say, and
 * buffers that the device cannot bind, or not together.
 */
export function checkCall(
  runtime: Runtime,
  what: string,
  given: unknown,
  args: Args,
  options: unknown,
  optional: Args = HOST_OPTIONS,
): void {
  checkRuntime(what, runtime)
  checkKeys(what, given, Object.keys(args))
  checkKeys(`options of ${what}`, options, Object.keys(optional))
  checkFields(`options of ${what}`, options, optional)
  checkPlaces(runtime, what, checkFields(what, given, args))
}

/** The bytes of an element: half of a word for f16, a word for everything else, bools too. */
export const bytesIn = (type?: string): number => (type === 'f16' ? 2 : 4)

const ARRAYS: Readonly<Record<number, string>> = {
  1: 'an Int8Array or a Uint8Array',
  2: "a Uint16Array, with type: 'f16'",
  4: 'a Float32Array, an Int32Array or a Uint32Array',
}

/** Where a buffer has as many elements as are asked for, but smaller ones: what it was made from is of another type. */
function widthNote(bytes: number, elements: number, bytesEach: number): string | undefined {
  const width = bytes >= 2 * elements ? 2 : 1
  if (width >= bytesEach || bytes < width * elements) return undefined
  return `its ${bytes} bytes are as many elements of ${width === 1 ? '1 byte' : '2 bytes'}, and here they have ${bytesEach}, as those of ${ARRAYS[bytesEach]}`
}

/** Refuses a buffer that is too small for so many elements (of 4 bytes unless told), before anything is recorded. */
export function checkBuffers(
  what: string,
  buffers: Readonly<Record<string, readonly [buffer: BufferLike, elements: number, bytesEach?: number]>>,
): void {
  for (const [name, [buffer, elements, bytesEach = 4]] of Object.entries(buffers)) {
    const bytes = bytesOf(buffer)
    const has = Math.floor(bytes / bytesEach)
    if (has >= elements) continue
    const note = widthNote(bytes, elements, bytesEach)
    throw badArgument(
      `${what}: ${name} must have ${elements} ${bytesEach === 1 ? 'bytes' : 'elements'}, and has ${has}`,
      note,
    )
  }
}

export type { ChoiceOptions, HostOptions, SeveralOptions } from './options'
export { SEVERAL_OPTIONS } from './options'
export type { BufferLike, Runtime }
export { badArgument, bytesOf, checkRuntime }

/** Runs a kernel over rows; one for rows of a fixed width has `cols` as an override, and not as a param. */
export function runRows(
  runtime: Runtime,
  kernel: CompiledKernel,
  args: Parameters<Runtime['run']>[1] & { readonly cols: number },
): Promise<void> {
  const { cols, ...others } = args
  const fixed = kernel.overrides.some(({ name }) => name === 'cols')
  return fixed ? runtime.run(kernel, others, { overrides: { cols } }) : runtime.run(kernel, args)
}
