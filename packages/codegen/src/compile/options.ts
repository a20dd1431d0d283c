import type { Diagnostic, Kernel, KernelSource, Limits } from '@weft/dsl/ir'
import type { PassName } from '../passes'
import type { ProfileName } from '../profiles'

export interface CompileOptions {
  /** What the modules are for; `any` by default. */
  readonly profile?: ProfileName
  /** The doc comment of the kernel, to stand on top of the module. */
  readonly doc?: string
  /** `uniform`: params come by uniform buffers only, and no variant needs immediates; `any`, the default: both. */
  readonly params?: 'any' | 'uniform'
  /** Limits of the device, where they are above the defaults. */
  readonly limits?: Partial<Limits>
  /** Passes to leave out; those that make a module right stay. */
  readonly without?: readonly PassName[]
  /** `each`: also after every pass, to find the one that breaks a kernel. `off`: the caller has done it. */
  readonly validate?: 'once' | 'each' | 'off'
  /**
   * With `validate: 'each'`, what else must hold: `checkStructure` of `@weft/dsl/ir`, the IR's own rules. Given and not
   * built in, so that an app which compiles kernels does not ship it.
   */
  readonly check?: (kernel: Kernel) => readonly Diagnostic[]
  /** Only these of the source's variants. */
  readonly variants?: readonly string[]
}

/** The options with the limits that a kernel counts on, below those that the caller gives. */
export const countingOn = (source: KernelSource, options: CompileOptions): CompileOptions =>
  source.limits ? { ...options, limits: { ...source.limits, ...options.limits } } : options
