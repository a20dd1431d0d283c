import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Range } from './bindings'
import type { RuntimeInfo } from './info'
import type { Workgroups } from './launch'
import type { Memory, Outcome, Part, UsageNote } from './memory'
import type { Observed } from './observer'
import type { Heap } from './pool/heap'
import type { PoolStats } from './pool/pool'
import type { Unwrap } from './resolve'
import type { Step } from './step'
import type { DeviceFacts } from './variant'

/** Values of a kernel's overrides by name, every one of them. */
export type OverrideValues = Readonly<Record<string, number>>

/** What a binding is given: a range of memory, or something that only the backend understands (a texture). */
export type Bound = Range | { readonly texture: unknown }

export interface Dispatch {
  /** By the names of the kernel's bindings; of a merged pair both are there. */
  readonly bindings: ReadonlyMap<string, Bound>
  readonly params: Uint8Array
  /** null: the device finds them in `indirect`. */
  readonly workgroups: Workgroups | null
  readonly indirect: Range | null
}

/** A variant of a kernel made ready for fixed overrides. */
export interface Program {
  readonly kernel: CompiledKernel
  readonly variant: CompiledVariant
  /** Hands the work to the device, in order after all that was handed over before. Never throws. */
  dispatch(work: Dispatch): Outcome
  /** Encodes the work for the caller to submit; `state` is its prepared dispatch's, with another version after each change. */
  encode?(work: Dispatch, target: GPUComputePassEncoder | GPUCommandEncoder, state: { readonly version: number }): void
}

/** A part of a recording, in order. */
export type RecordedOp =
  | { readonly kind: 'dispatch'; readonly step: Step }
  | { readonly kind: 'copy'; readonly from: Range; readonly to: Range }
  | { readonly kind: 'read'; readonly part: Part }

export interface Replayed {
  /** null: a failure would be told by the device itself. */
  readonly outcome: Outcome | null
  /** In the order of the recorded reads; null where there are none. */
  readonly reads: Promise<Uint8Array<ArrayBuffer>[]> | null
}

/** A recording on its device, for which nothing is gone. */
export interface Replay {
  replay(): Replayed
  /** A step has another plan; `rebound`: with other bindings. */
  changed(step: Step, rebound: boolean): void
  release(): void
}

/** How often a bind group was there already. */
export interface BindGroupStats {
  readonly entries: number
  readonly hits: number
  readonly misses: number
  /** Given up for others, since the cache is bounded. */
  readonly evicted: number
}

export interface PipelineStats {
  readonly entries: number
  readonly hits: number
  /** Pipelines that were compiled. */
  readonly misses: number
  /** Requests that joined a compilation in flight. */
  readonly shared: number
  readonly failed: number
  /** Given up for others, since the cache is bounded. Kernels that are loaded keep theirs. */
  readonly evicted: number
  readonly compileMs: number
}

/** How work goes to the device. */
export interface StreamOptions {
  /** Dispatches after which what is recorded is submitted, also within a batch or a recording. By default 4096. */
  readonly maxDispatchesPerSubmit: number
  /** Submits that may be on their way until those who await a call are held up. By default 256. */
  readonly maxSubmitsInFlight: number
  /** One pass for many dispatches, which is the default, or one for each. */
  readonly passes: 'single' | 'each'
}

/** What is recorded and not submitted, as far as its owner decides about it. */
export interface Stream {
  /** Submits so far. */
  readonly submits: number
  /** Whether submits wait for the end of a batch. */
  readonly batching: boolean
  enter(): void
  /** The outcome of the submit that what was recorded is part of. */
  leave(): Outcome
  flush(): Outcome
  /** When the device has caught up; null where it is not far behind. */
  room(): Promise<void> | null
}

/** A place where kernels run. Its methods take effect when they are called; order is the caller's concern. */
export interface Backend extends Observed {
  readonly info: RuntimeInfo
  readonly facts: DeviceFacts
  readonly device: GPUDevice | null
  readonly pipelines: PipelineStats
  readonly bindGroups: { readonly stats: BindGroupStats }
  readonly stream: Stream
  /** Where memory comes from and goes to. */
  readonly heap: Heap
  /** Of staging buffers for readbacks. */
  readonly staging: PoolStats
  /** Memory for a GPUBuffer of the caller; the same for the same buffer. Throws `binding-type` on the CPU. */
  adopt(buffer: GPUBuffer, usageNote?: UsageNote): Memory
  /** For buffers of another library, where the runtime was made for one. */
  readonly unwrap?: Unwrap | undefined
  /** Any offset and size within the memory; neighbouring bytes stay as they are. An outcome only where it may fail. */
  write(memory: Memory, offset: number, bytes: Uint8Array<ArrayBuffer>): Outcome | null
  /** The bytes of each part, all of them in one round trip. */
  read(parts: readonly Part[]): Promise<Uint8Array<ArrayBuffer>[]>
  /** Rejects or throws `compile-failed`. */
  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Program | Promise<Program>
  /** Bytes from one memory to another, as many; whole words. */
  copy(from: Range, to: Range): Outcome
  /** Where a recording can do better than its parts one after the other. */
  record?(ops: readonly RecordedOp[]): Replay
  /** When all that was handed over is done. */
  idle(): Promise<void>
  destroy(): void
}
