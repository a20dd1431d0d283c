import type { RecordedOp, Replay, Replayed } from '../backend'
import type { Range } from '../bindings'
import { firstOf, type WeftError } from '../errors'
import { isEmpty } from '../kernel'
import { follow, type Outcome, type Part } from '../memory'
import { stepsOf } from '../ops'
import type { Block } from '../pool/pool'
import type { Step } from '../step'
import type { BindGroupCache, Resource } from './bind-groups'
import type { Call } from './call'
import { CallList } from './call-list'
import { ParamBlock } from './param-block'
import { type Copying, copying } from './parts'
import type { GpuProgram } from './program'
import type { Load, Readbacks } from './readbacks'
import { scoped } from './scopes'
import type { CommandStream } from './stream'

/** What replays share. */
export interface Replaying {
  readonly stream: CommandStream
  readonly readbacks: Readbacks
  readonly bindGroups: BindGroupCache
  /** Alignment of params blocks. */
  readonly align: number
  /** Replays without an error scope, of whose failure only the device can tell; null where it tells somebody else. */
  readonly trusted: Set<GpuReplay> | null
}

export function copyingRanges(from: Range, to: Range): Copying {
  const title = `the copy from '${from.memory.label}' to '${to.memory.label}'`
  const [source, target] = [from.memory.gpu as GPUBuffer, to.memory.gpu as GPUBuffer]
  return copying(title, source, from.offset, target, to.offset, from.bound)
}

const SENT: Replayed = { outcome: null, reads: null }

/** In place of a call until its step is looked at. */
const NOTHING = { x: 0, groups: [], indirect: null } as unknown as Call

/** Dispatches that follow each other in one pass, and what comes after them. */
interface Segment {
  readonly from: number
  readonly to: number
  readonly copies: readonly Copying[]
  readonly reads: readonly Part[]
  readonly submits: boolean
}

/** What there is of a step in this recording. */
interface Kept {
  /** Where its params lie; nowhere if it has none. */
  readonly slot: Resource | undefined
  /** Where its calls are in the list. */
  readonly at: number[]
}

/**
 * A recording as a list of calls over cached objects. A replay walks over it: one encoder, one pass (unless copies come
 * between), one submit, one write for whatever params have changed, and nothing told to the pass that it knows.
 */
export class GpuReplay implements Replay {
  readonly #shared: Replaying
  readonly #segments: Segment[] = []
  readonly #list = new CallList()
  readonly #kept = new Map<Step, Kept>()
  readonly #params: ParamBlock | null
  readonly #copies: readonly Copying[]
  readonly #reads: readonly Part[]
  readonly #load: Load | null
  /** Of the bindings, and the one that the device has accepted already. */
  #version = 0
  #proven = -1
  /** What the device had against the bind groups. */
  #invalid: Outcome | null = null

  constructor(ops: readonly RecordedOp[], shared: Replaying) {
    this.#shared = shared
    const { stream, readbacks, align } = shared
    this.#reads = ops.flatMap((op) => (op.kind === 'read' ? [op.part] : []))
    this.#load = this.#reads.length > 0 ? readbacks.packed(this.#reads) : null
    const steps = [...new Set(stepsOf(ops))]
    const blocks = steps.filter(({ plan }) => plan.variant.params?.via === 'uniform')
    const sizes = blocks.map(({ plan }) => plan.params.byteLength)
    this.#params = sizes.length > 0 ? new ParamBlock(stream.device, sizes, align) : null
    const slots = new Map(blocks.map((step, i) => [step, this.#params?.slots[i]]))
    for (const step of steps) this.#kept.set(step, { slot: slots.get(step), at: [] })
    this.#arrange(ops)
    this.#bindAll(steps)
    for (const step of steps) this.changed(step, false)
    this.#copies = this.#segments.flatMap((segment) => segment.copies)
  }

  /** Divides the list where something comes between two dispatches. */
  #arrange(ops: readonly RecordedOp[]): void {
    const { maxDispatchesPerSubmit: most, passes } = this.#shared.stream.options
    let from = 0
    let copies: Copying[] = []
    let reads: Part[] = []
    let inSubmit = 0
    const cut = (submits: boolean): void => {
      this.#segments.push({ from, to: this.#list.length, copies, reads, submits })
      from = this.#list.length
      copies = []
      reads = []
    }
    for (const op of ops) {
      if (op.kind === 'dispatch') {
        if (copies.length > 0 || reads.length > 0) cut(false)
        this.#kept.get(op.step)?.at.push(this.#list.length)
        this.#list.set(this.#list.length, NOTHING)
        inSubmit = (inSubmit + 1) % most
        if (inSubmit === 0) cut(true)
        else if (passes === 'each') cut(false)
      } else if (op.kind === 'copy') {
        if (reads.length > 0) cut(false)
        copies.push(copyingRanges(op.from, op.to))
      } else reads.push(op.part)
    }
    if (from < this.#list.length || copies.length > 0 || reads.length > 0) cut(false)
  }

  /**
   * Makes the bind groups, of which nobody else has the same on account of the params. One right after the other, with
   * nothing in between: what lies together in memory is fetched together at each replay, which is worth a fifth.
   */
  #bindAll(steps: readonly Step[]): void {
    const { device } = this.#shared.stream
    const wanted = steps.map((step) => {
      const { plan } = step
      const program = plan.program as GpuProgram
      return { title: program.title, groups: program.groups(plan, this.#kept.get(step)?.slot) }
    })
    const { value, error } = scoped(device, ['validation'], () =>
      wanted.map(({ groups }) => groups.map((descriptor) => device.createBindGroup(descriptor))),
    )
    this.#invalid = error.then(async (found) => {
      if (!found) return null
      const { blameGroups } = await import('./culprit')
      return blameGroups(device, wanted, found.message)
    })
    steps.forEach((step, i) => {
      const kept = this.#kept.get(step)
      if (!kept) return
      const { plan } = step
      const call = (plan.program as GpuProgram).call(plan, value[i] ?? [])
      for (const at of kept.at) this.#list.set(at, call)
    })
  }

  changed(step: Step, rebound: boolean): void {
    const kept = this.#kept.get(step)
    if (!kept) return
    const { plan } = step
    const { slot } = kept
    if (slot) this.#params?.set(slot.offset, plan.params)
    if (rebound) {
      this.#version++
      const { call } = (plan.program as GpuProgram).ready(plan, slot)
      for (const at of kept.at) this.#list.set(at, call)
    }
    const immediates = plan.variant.params?.via === 'immediates' ? (plan.params as Uint8Array<ArrayBuffer>) : null
    const [x, y, z] = isEmpty(plan) ? [0, 0, 0] : (plan.workgroups ?? [0, 0, 0])
    const first = this.#list.calls[kept.at[0] ?? 0]
    if (!first || (first.x === x && first.y === y && first.z === z && first.immediates === immediates)) return
    const call = { ...first, x, y, z, immediates }
    for (const at of kept.at) this.#list.set(at, call)
  }

  replay(): Replayed {
    const { stream, readbacks, trusted } = this.#shared
    const load = this.#load
    const staging = load && load.size > 0 ? readbacks.acquire(load) : null
    const early: Outcome[] = []
    this.#params?.write(stream)
    for (const segment of this.#segments) {
      this.#encode(segment, staging)
      if (segment.submits) {
        this.#note()
        early.push(stream.flush())
      }
    }
    this.#note()
    if (trusted && !load && !stream.batching && early.length === 0 && this.#proven === this.#version) {
      stream.submit()
      trusted.add(this)
      return SENT
    }
    const last = load ? stream.flush() : stream.settle()
    const all = this.#invalid ? [this.#invalid, ...early, last] : [...early, last]
    this.#invalid = null
    const outcome = all.length > 1 ? firstOf(all) : last
    this.#learn(outcome)
    return { outcome, reads: load ? this.#fetch(load, staging, outcome) : null }
  }

  #encode({ from, to, copies, reads }: Segment, staging: Block | null): void {
    const { stream, readbacks } = this.#shared
    if (to > from) stream.replay(this.#list, from, to)
    for (const copy of copies) copy.encode(stream.encoder())
    if (staging) for (const part of reads) readbacks.copy(stream.encoder(), this.#load as Load, staging, part)
    if (stream.options.passes === 'each') stream.endPass()
  }

  /** Says what was recorded, for the case that it is rejected. */
  #note(): void {
    const { stream } = this.#shared
    stream.recorded(this.#list.calls, this.#list.length)
    if (this.#copies.length > 0) stream.recorded(this.#copies, 0)
  }

  #learn(outcome: Outcome): void {
    const version = this.#version
    if (this.#proven === version) return
    void outcome.then((error) => {
      if (!error) this.#proven = version
    })
  }

  async #fetch(load: Load, staging: Block | null, outcome: Outcome): Promise<Uint8Array<ArrayBuffer>[]> {
    const found = staging ? await this.#shared.readbacks.fetch(load, staging, outcome) : null
    return this.#reads.map((part) => found?.get(part) ?? new Uint8Array(0))
  }

  /**
   * After an error that no scope has caught: what is wrong with this recording, or null. What it writes is not to be
   * trusted then, and the next replay has a scope again.
   */
  async examine(text: string): Promise<WeftError | null> {
    this.#version++
    const { suspect } = await import('./culprit')
    const error = await suspect(this.#shared.stream.device, [this.#list.calls, this.#copies], text)
    if (!error) return null
    const written = [...this.#kept.keys()].flatMap(({ plan }) => plan.writes)
    return follow(Promise.resolve(error), [], written)
  }

  release(): void {
    const { stream, bindGroups, trusted } = this.#shared
    trusted?.delete(this)
    if (!this.#params) return
    bindGroups.drop(this.#params.block)
    // a batch may have recorded it
    stream.flush()
    this.#params.destroy()
  }
}
