import type { CompiledKernel } from '@weft/codegen'
import type { BufferLike, Runtime } from '@weft/runtime'
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

/** The kernel to run in place of one that ships. There is none for a `type` that the function does not know. */
export function chosen(artifact: CompiledKernel | undefined, options: HostOptions): CompiledKernel {
  const { kernel, kernels } = options
  if (artifact === undefined)
    throw new RangeError('no kernel of the library fits: `type` must be one that the function names')
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

const folded = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** Refuses what is no object, and one with a key that nobody reads: a name that is spelled wrong is not left out in silence. */
export function checkKeys(what: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new RangeError(`${what}: takes an object with ${names.join(', ')}, got ${String(given)}`)
  for (const key of Object.keys(given)) {
    if (names.includes(key)) continue
    const meant = names.find((name) => folded(name) === folded(key))
    throw new RangeError(
      `${what}: there is no '${key}'${meant === undefined ? '' : `, did you mean '${meant}'?`}; known are ${names.join(', ')}`,
    )
  }
}

const HOST_OPTIONS = keysOf<HostOptions>()('kernel kernels verify')
export const SEVERAL_OPTIONS = keysOf<SeveralOptions>()('kernels verify')

/** What every host function does first: refuses arguments and options with a key that it does not read. */
export function checkCall(
  what: string,
  args: unknown,
  names: readonly string[],
  options: unknown,
  known: readonly string[] = HOST_OPTIONS,
): void {
  checkKeys(what, args, names)
  checkKeys(`options of ${what}`, options, known)
}

/** Refuses what is none of the words that an argument may be. */
export function checkChoice(what: string, name: string, value: unknown, words: readonly string[]): void {
  if (!words.includes(value as string))
    throw new RangeError(`${what}: ${name} must be one of ${words.join(', ')}, got ${String(value)}`)
}

/** Refuses a size that is not an integer ≥ 0 before anything is recorded. */
export function checkSizes(what: string, sizes: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${what}: ${name} must be an integer from 0 on, got ${value}`)
  }
}

/** The bytes of an element: half of a word for f16, a word for everything else, bools too. */
export const bytesIn = (type?: string): number => (type === 'f16' ? 2 : 4)

/** The bytes of a buffer, or of a range of one. */
export const bytesOf = (buffer: BufferLike): number => {
  if ('size' in buffer && typeof buffer.size === 'number') return buffer.size
  const { buffer: whole, offset = 0 } = buffer as Extract<BufferLike, { readonly buffer: unknown }>
  return bytesOf(whole as BufferLike) - offset
}

function checkBuffer(what: string, name: string, buffer: unknown): void {
  if (typeof buffer === 'object' && buffer !== null && !ArrayBuffer.isView(buffer)) return
  const is = ArrayBuffer.isView(buffer)
    ? `a ${buffer.constructor.name}: upload it with runtime.buffer(…)`
    : String(buffer)
  throw new RangeError(`${what}: ${name} must be a buffer of the device, got ${is}`)
}

/** Refuses one buffer in two places, of which the function writes one while it still reads the other. */
export function checkDistinct(what: string, buffers: Readonly<Record<string, BufferLike | undefined>>): void {
  const seen = new Map<unknown, string>()
  for (const [name, buffer] of Object.entries(buffers)) {
    if (buffer === undefined) continue
    const other = seen.get(buffer)
    if (other !== undefined) throw new RangeError(`${what}: ${name} must be another buffer than ${other}`)
    seen.set(buffer, name)
  }
}

/** Refuses a buffer that is too small for so many elements (of 4 bytes unless told), before anything is recorded. */
export function checkBuffers(
  what: string,
  buffers: Readonly<Record<string, readonly [buffer: BufferLike, elements: number, bytesEach?: number]>>,
): void {
  for (const [name, [buffer, elements, bytesEach = 4]] of Object.entries(buffers)) {
    checkBuffer(what, name, buffer)
    const has = Math.floor(bytesOf(buffer) / bytesEach)
    if (has < elements) throw new RangeError(`${what}: ${name} must have ${elements} elements, and has ${has}`)
  }
}

export type { BufferLike, Runtime }
