import type { CompiledKernel } from '@weft/codegen'
import type { BufferLike, Runtime } from '@weft/runtime'
import { type Args, checkFields, checkKeys } from './args'
import { badArgument, shown } from './errors'
import { bytesOf, checkOverlaps } from './overlap'
import type { Tuning } from './tuning'
import { asTried } from './verify'

/** What every host function takes. */
export interface HostOptions {
  /**
   * In place of the compiled kernel that ships with the package: one specialized for other sizes, or one that carries its
   * IR, which the CPU device needs (`compile(source)` of `@weft/codegen`, with the sources of `@weft/kernels/source`).
   */
  readonly kernel?: CompiledKernel
  /** The same by the name of the kernel, for functions that run several; what it does not know is taken as it ships. */
  readonly kernels?: (name: string) => CompiledKernel | undefined
  /**
   * Tests a fast kernel, or a variant that needs features, on a small problem before it is first used on a device, and takes the portable
   * one where its numbers are wrong; see `verdicts`. Nothing is to be tested where a function has portable kernels alone.
   */
  readonly verify?: boolean
}

/** Of functions that take several kernels for one problem: `kernel` would not say for which. */
export type SeveralOptions = Omit<HostOptions, 'kernel'>

/** What functions take that choose by what was measured. */
export interface ChoiceOptions {
  /** Measured choices, `tuningOf(JSON.parse(text))`, in place of those that ship for the device; null: by rules alone. */
  readonly tuning?: Tuning | null
}

/** The kernel to run in place of one that ships. */
export function chosen(artifact: CompiledKernel, options: HostOptions): CompiledKernel {
  const { kernel, kernels } = options
  return asTried(kernel ?? kernels?.(artifact.name) ?? artifact, artifact.name, options)
}

/** A kernel that suits a device, where it can be run there: the CPU device takes those alone that the caller hands in, with their IR. */
export const atHand = (
  kernel: CompiledKernel | undefined,
  { info }: Runtime,
  { kernels }: HostOptions,
): CompiledKernel | undefined => (kernel && (info.backend !== 'cpu' || kernels?.(kernel.name)) ? kernel : undefined)

type Words<S extends string> = S extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : S

/** The list where its words are the keys of T, all of them and no other; otherwise a type that says which are wrong. */
type Exact<T, S extends string> = [Exclude<keyof T, Words<S>>] extends [never]
  ? [Exclude<Words<S>, keyof T>] extends [never]
    ? S
    : { readonly 'T has no': Exclude<Words<S>, keyof T> }
  : { readonly 'missing from the list': Exclude<keyof T, Words<S>> }

/** The names of all keys of T, for {@link checkKeys}: `keysOf<SaxpyArgs>()('x y n alpha')`. */
export const keysOf =
  <T>() =>
  <const S extends string>(names: S & Exact<T, S>): readonly string[] =>
    names.split(' ')

const HOST_OPTIONS = keysOf<HostOptions>()('kernel kernels verify')
export const SEVERAL_OPTIONS = keysOf<SeveralOptions>()('kernels verify')

/** What every host function does first: refuses options that it does not read, and arguments that are not what its table says. */
export function checkCall(
  what: string,
  given: unknown,
  args: Args,
  options: unknown,
  known: readonly string[] = HOST_OPTIONS,
): void {
  checkKeys(what, given, Object.keys(args))
  checkKeys(`options of ${what}`, options, known)
  checkOptions(what, options as Readonly<Record<string, unknown>>)
  checkOverlaps(what, checkFields(what, given, args))
}

/** What the options that many functions have must be. */
function checkOptions(what: string, { kernel, kernels, verify }: Readonly<Record<string, unknown>>): void {
  const refuse = (name: string, must: string, value: unknown): never => {
    throw badArgument(`options of ${what}: ${name} must be ${must}, got ${shown(value)}`)
  }
  const isKernel = typeof kernel === 'object' && kernel !== null && 'variants' in kernel
  if (kernel !== undefined && !isKernel) refuse('kernel', 'a compiled kernel, as compile(…) gives it', kernel)
  if (kernels !== undefined && typeof kernels !== 'function')
    refuse('kernels', 'a function (name) => a compiled kernel or undefined', kernels)
  if (verify !== undefined && typeof verify !== 'boolean') refuse('verify', 'true or false', verify)
}

/** The bytes of an element: half of a word for f16, a word for everything else, bools too. */
export const bytesIn = (type?: string): number => (type === 'f16' ? 2 : 4)

/** Refuses a buffer that is too small for so many elements (of 4 bytes unless told), before anything is recorded. */
export function checkBuffers(
  what: string,
  buffers: Readonly<Record<string, readonly [buffer: BufferLike, elements: number, bytesEach?: number]>>,
): void {
  for (const [name, [buffer, elements, bytesEach = 4]] of Object.entries(buffers)) {
    const has = Math.floor(bytesOf(buffer) / bytesEach)
    if (has < elements) throw badArgument(`${what}: ${name} must have ${elements} elements, and has ${has}`)
  }
}

export type { BufferLike, Runtime }
export { badArgument, bytesOf }
