import type { CompileOptions } from '@weft/codegen'
import type { KernelSource } from '@weft/dsl/ir'

/** The contents of a buffer binding; those that the kernel writes are prefilled, see `unset`. */
export type BufferData = Float32Array | Uint32Array | Int32Array | Uint16Array | Uint8Array

export interface TextureData {
  readonly texture: GPUTextureFormat
  readonly size: readonly [width: number, height: number, layers: number]
  /** Rows without padding. */
  readonly bytes: Uint8Array
}

/**
 * How far a float may be from the reference; integers, bools and everything without a tolerance are compared by bits
 * (NaN with any NaN). A tolerance says why: by the specification or by an error analysis, never by what engines give.
 */
export type Tolerance =
  | { readonly kind: 'ulp'; readonly ulp: number; readonly because: string }
  | { readonly kind: 'near'; readonly abs: number; readonly rel: number; readonly because: string }

export type EngineName = 'dawn' | 'wgpu'

/** One launch of one kernel, written once and run on everything that can. */
export interface ParityCase {
  readonly name: string
  readonly kernel: KernelSource
  readonly bindings: Readonly<Record<string, BufferData | TextureData>>
  /** Scalars as numbers or bools, everything else as a list of lanes. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly overrides?: Readonly<Record<string, number>>
  /** By default what the launch rule of the kernel says. */
  readonly workgroups?: readonly number[]
  /** The declared alias under which both names get the memory of the second one. */
  readonly alias?: readonly [input: string, output: string]
  /** What the written bindings hold afterwards, in whole; those not named are compared with the interpreter. */
  readonly expect?: Readonly<Record<string, BufferData>>
  readonly tolerance?: Tolerance
  /** Bindings of words that hold two f16 each, and are compared as such. */
  readonly halves?: readonly string[]
  /** The kernel is written for subgroups of this size: engines with other ones do not run it, the interpreter has these. */
  readonly subgroupSize?: number
  /** Engines – or `software`, GPUs that are emulated – that cannot run it for a reason that no feature or limit tells, and the reason. */
  readonly not?: Readonly<Partial<Record<EngineName | 'software', string>>>
  /** How to compile it; by default as everybody does. */
  readonly compile?: CompileOptions
  /** Constructs that naga does not know: the module is validated by Tint alone. */
  readonly tintOnly?: string
}

export const isTexture = (data: BufferData | TextureData): data is TextureData => 'texture' in data

export const bytesOf = (data: BufferData): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
