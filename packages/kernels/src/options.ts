import type { CompiledKernel } from '@weft/codegen'
import { argsOf, flag, maybe, that } from './args'
import type { Tuning } from './tuning'

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

const has = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && key in value

/** Whether it is what `compile` gives, and not the source that it is made of. */
export const isCompiled = (value: unknown): value is CompiledKernel =>
  ['variants', 'bindings', 'hash'].every((key) => has(value, key))

/** What the options that many functions have must be. */
export const kernel = maybe(
  that<CompiledKernel>('a compiled kernel, as compile(source) of @weft/codegen gives it', isCompiled),
)
export const kernels = maybe(
  that<NonNullable<HostOptions['kernels']>>(
    'a function (name) => a compiled kernel or undefined',
    (x) => typeof x === 'function',
  ),
)
export const verify = maybe(flag)
export const tuning = maybe(
  that<Tuning | null>(
    'what tuningOf(JSON.parse(text)) gives, or null',
    (x) => x === null || (has(x, 'find') && typeof (x as Tuning).find === 'function'),
  ),
)

export const HOST_OPTIONS = argsOf<HostOptions>({ kernel, kernels, verify })
export const SEVERAL_OPTIONS = argsOf<SeveralOptions>({ kernels, verify })
