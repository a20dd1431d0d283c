import type { CompiledKernel } from '@weft/codegen'
import type { BindGroupStats, PipelineStats } from './backend'
import type { BufferLike } from './buffer'
import type { BufferStats } from './pool/leases'
import type { PoolStats } from './pool/pool'

/** What a kernel takes, as types: names and WGSL types. */
export interface Signature {
  readonly bindings: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
}

/** An artifact that knows its signature; `$` exists in the type only. */
export type TypedKernel<S extends Signature> = CompiledKernel & { readonly $?: S }

/** A whole texture or a view, for the bindings that are textures; on the CPU a `BoundTexture` of `@weft/codegen`. */
export type TextureLike = GPUTexture | GPUTextureView | { readonly format: string; readonly bytes: Uint8Array }

interface ScalarValues {
  f32: number
  f16: number
  i32: number
  u32: number
  bool: boolean
}

/** The host value of a param: a number or bool for a scalar, else its lanes in order, flat or nested. */
export type ParamValue<T extends string> = T extends keyof ScalarValues
  ? ScalarValues[T]
  : ArrayLike<number> | ArrayLike<ArrayLike<number>>

type BindingValue<T extends string> = T extends `texture${string}` ? TextureLike : BufferLike

type TypedArguments<S extends Signature> = { readonly [B in keyof S['bindings']]: BindingValue<S['bindings'][B]> } & {
  readonly [P in keyof S['params']]: ParamValue<S['params'][P]>
}

/** Bindings and params of a kernel in one object; their names are distinct. Unchecked for a kernel of unknown signature. */
export type Arguments<K> = K extends { readonly $?: infer S }
  ? [Exclude<S, undefined>] extends [Signature]
    ? TypedArguments<Exclude<S, undefined>>
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

type SignatureOf<K> = K extends { readonly $?: infer S } ? Exclude<S, undefined> : never

/** Some of a kernel's params, by name. */
export type SomeParams<K> = [SignatureOf<K>] extends [Signature]
  ? [SignatureOf<K>] extends [never]
    ? Readonly<Record<string, unknown>>
    : { readonly [P in keyof SignatureOf<K>['params']]?: ParamValue<SignatureOf<K>['params'][P]> }
  : Readonly<Record<string, unknown>>

/** Some of a kernel's bindings, by name. */
export type SomeBindings<K> = [SignatureOf<K>] extends [Signature]
  ? [SignatureOf<K>] extends [never]
    ? Readonly<Record<string, unknown>>
    : { readonly [B in keyof SignatureOf<K>['bindings']]?: BindingValue<SignatureOf<K>['bindings'][B]> }
  : Readonly<Record<string, unknown>>

export interface RunOptions {
  /** Values of overrides by name; the others keep their defaults. */
  readonly overrides?: Readonly<Record<string, number | boolean>>
  /** Workgroups in x, y and z, in place of the kernel's launch rule. Taken as they are, without folding. */
  readonly workgroups?: number | readonly number[]
  /**
   * Three u32 in a buffer in place of the launch rule: the counts in x, y and z, which the device reads when it gets
   * there – those of an earlier kernel, for one. Counts above the device's limit run nothing.
   */
  readonly indirect?: { readonly buffer: BufferLike /** Bytes. */; readonly offset?: number }
  /** The id of a variant, in place of the best one for the device. */
  readonly variant?: string
}

export interface PrepareOptions<K = CompiledKernel> extends RunOptions {
  /** The bindings that `bind` may give something else later. */
  readonly patch?: readonly (keyof SomeBindings<K> & string)[]
}

export interface BufferOptions {
  /** For error messages and debuggers. */
  readonly label?: string
  /**
   * Whether it is 0 at first, as it is by default. Without, a buffer that is used again holds what was left in it, for
   * those who overwrite all of it anyway: it is cleared only where a kernel is known to write parts of it or to read it.
   */
  readonly zero?: boolean
  /** By default buffers are used again after `destroy()` and have rounded sizes. Without, the GPUBuffer is new and of exactly this size. */
  readonly pooled?: boolean
}

export interface RuntimeStats {
  readonly pipelines: PipelineStats
  readonly dispatches: number
  /** Submits to the device's queue. */
  readonly submits: number
  readonly bindGroups: BindGroupStats
  /** Launches of no workgroups, which are not handed to the device. */
  readonly skipped: number
  /** Buffers made by this runtime and not destroyed. */
  readonly buffers: BufferStats
  /** Their memory, in use or kept for reuse. */
  readonly pool: PoolStats
  /** Staging buffers of readbacks. */
  readonly staging: PoolStats
}

/** A kernel that can be called. */
export interface Launcher<K extends CompiledKernel = CompiledKernel> {
  (args: Arguments<K>, options?: RunOptions): Promise<void>
  readonly kernel: K
  /** Chooses the variant and compiles it ahead of the first call. Rejects `no-variant`, `bad-override`, `compile-failed`. */
  compile(options?: RunOptions): Promise<void>
}
