import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Range } from './bindings'
import type { RuntimeInfo } from './info'
import type { Workgroups } from './launch'
import type { Memory, Outcome, UsageNote } from './memory'
import type { Observed } from './observer'
import type { Unwrap } from './resolve'
import type { DeviceFacts } from './variant'

/** Values of a kernel's overrides by name, every one of them. */
export type OverrideValues = Readonly<Record<string, number>>

/** What a binding is given: a range of memory, or something that only the backend understands (a texture). */
export type Bound = Range | { readonly texture: unknown }

export interface Dispatch {
  /** By the names of the kernel's bindings; of a merged pair both are there. */
  readonly bindings: ReadonlyMap<string, Bound>
  readonly params: Uint8Array
  readonly workgroups: Workgroups
}

/** A variant of a kernel made ready for fixed overrides. */
export interface Program {
  readonly kernel: CompiledKernel
  readonly variant: CompiledVariant
  /** Hands the work to the device, in order after all that was handed over before. Never throws. */
  dispatch(work: Dispatch): Outcome
}

export interface PipelineStats {
  readonly entries: number
  readonly hits: number
  /** Pipelines that were compiled. */
  readonly misses: number
  /** Requests that joined a compilation in flight. */
  readonly shared: number
  readonly failed: number
  readonly compileMs: number
}

/** A place where kernels run. Its methods take effect when they are called; order is the caller's concern. */
export interface Backend extends Observed {
  readonly info: RuntimeInfo
  readonly facts: DeviceFacts
  readonly device: GPUDevice | null
  readonly pipelines: PipelineStats
  allocate(size: number, label: string): Memory
  /** Memory for a GPUBuffer of the caller; the same for the same buffer. Throws `binding-type` on the CPU. */
  adopt(buffer: GPUBuffer, usageNote?: UsageNote): Memory
  /** For buffers of another library, where the runtime was made for one. */
  readonly unwrap?: Unwrap | undefined
  free(memory: Memory): void
  /** Any offset and size within the memory; neighbouring bytes stay as they are. An outcome only where it may fail. */
  write(memory: Memory, offset: number, bytes: Uint8Array<ArrayBuffer>): Outcome | null
  read(memory: Memory, offset: number, size: number): Promise<Uint8Array<ArrayBuffer>>
  /** Rejects or throws `compile-failed`. */
  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Program | Promise<Program>
  /** When all that was handed over is done. */
  idle(): Promise<void>
  destroy(): void
}
