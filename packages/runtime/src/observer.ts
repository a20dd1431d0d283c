import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { OverrideValues } from './backend'
import type { Workgroups } from './launch'

/** A piece of memory, as far as an observer needs to know it. One object for one allocation: identity is what counts. */
export interface ObservedMemory {
  readonly id: number
  readonly label: string
  /** Bytes. */
  readonly size: number
}

/** What a binding was given: a range in bytes (of size 0: nothing), or a texture. */
export type ObservedBinding =
  | { readonly memory: ObservedMemory; readonly offset: number; readonly size: number }
  | { readonly texture: unknown }

/** One dispatch. All calls about it get the same object, so that an observer can keep notes by it. */
export interface ObservedDispatch {
  readonly kernel: CompiledKernel
  readonly variant: CompiledVariant
  readonly overrides: OverrideValues
  /** By the names of the kernel's bindings; of a merged pair both are there. */
  readonly bindings: ReadonlyMap<string, ObservedBinding>
  /** As `kernel.params` lays them out. */
  readonly params: Uint8Array
  /** null: the device finds the counts in `indirect`. */
  readonly workgroups: Workgroups | null
  readonly indirect?: { readonly memory: ObservedMemory; readonly offset: number } | null
}

export interface Transfer {
  readonly kind: 'write' | 'copy' | 'read'
  /** Where the bytes go to; of a read, where they are from. */
  readonly memory: ObservedMemory
  readonly offset: number
  readonly size: number
}

/** The content of a piece of memory at this point of the order of all effects. Submits what is recorded so far. */
export type Peek = (memory: ObservedMemory) => Promise<Uint8Array<ArrayBuffer>>

/**
 * What can watch a runtime work: a profiler, a tracer. The calls for one dispatch are
 *
 *     called(d)                                    in run(…), step.run(), replay(): while the caller's code is on the stack
 *     before(d) → pass() → after(d)                in the order of effects, when it is recorded for the device
 *     submitted()                                  once for each submit
 *
 * In a pass of many dispatches `pass()` stands before the first `after` only, so a dispatch belongs to the pass that
 * was begun last before its `after`. `pass` and `submitted` are of WebGPU; on the CPU a dispatch is done when `after`
 * is called. Every call is synchronous and must not throw. What is encoded into an encoder of the
 * caller's own is not observed.
 */
export interface Observer {
  /** Gives every dispatch a pass of its own, in recordings too; `before` and `after` then stand outside of passes and may peek. */
  readonly passes?: 'each' | undefined
  called?(dispatch: ObservedDispatch): void
  before?(dispatch: ObservedDispatch, peek: Peek): void
  after?(dispatch: ObservedDispatch, peek: Peek): void
  /**
   * A pass is about to begin. What is given goes into its descriptor; `free` is false where an observer before this one
   * has given something, and then an answer is not used.
   */
  pass?(free: boolean): GPUComputePassTimestampWrites | undefined
  /** What was recorded so far was handed to the queue. */
  submitted?(): void
  transfer?(transfer: Transfer): void
}

/** The observers of one runtime. A backend holds null in its place where there are none, so watching costs one comparison. */
export class Observers {
  constructor(
    readonly list: readonly Observer[],
    readonly peek: Peek,
  ) {}

  /** Whether each dispatch is to have a pass of its own. */
  get apart(): boolean {
    return this.list.some(({ passes }) => passes === 'each')
  }

  called(dispatch: ObservedDispatch): void {
    for (const observer of this.list) observer.called?.(dispatch)
  }

  before(dispatch: ObservedDispatch): void {
    for (const observer of this.list) observer.before?.(dispatch, this.peek)
  }

  after(dispatch: ObservedDispatch): void {
    for (const observer of this.list) observer.after?.(dispatch, this.peek)
  }

  pass(): GPUComputePassTimestampWrites | undefined {
    let taken: GPUComputePassTimestampWrites | undefined
    for (const observer of this.list) {
      const writes = observer.pass?.(taken === undefined)
      taken ??= writes
    }
    return taken
  }

  submitted(): void {
    for (const observer of this.list) observer.submitted?.()
  }

  transfer(transfer: Transfer): void {
    for (const observer of this.list) observer.transfer?.(transfer)
  }
}

/** Something that can be observed: a backend. */
export interface Observed {
  observers: Observers | null
}

/** Adds an observer; the function that comes back takes it away again. */
export function attach(to: Observed, observer: Observer, peek: Peek): () => void {
  to.observers = new Observers([...(to.observers?.list ?? []), observer], peek)
  return () => {
    const rest = to.observers?.list.filter((other) => other !== observer) ?? []
    to.observers = rest.length > 0 ? new Observers(rest, peek) : null
  }
}
