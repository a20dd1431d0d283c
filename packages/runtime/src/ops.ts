import type { Backend, RecordedOp, Replayed } from './backend'
import { firstOf } from './errors'
import { isEmpty } from './kernel'
import { dispatched, use } from './launches'
import type { Memory, Outcome } from './memory'
import type { KeptPlan, Step } from './step'

/** The parts of a recording, in order: whose they are, what they touch, and how each is done by itself. */

type Ops = readonly RecordedOp[]

/** The kept dispatches among the parts, each as often as it is run. */
export const stepsOf = (ops: Ops): Step[] => ops.flatMap((op) => (op.kind === 'dispatch' ? [op.step] : []))

/** The memory that the parts read and write by now, which is told that it is about to be used. */
export function touched(backend: Backend, ops: Ops): { readonly reads: Memory[]; readonly writes: Memory[] } {
  const [reads, writes] = [new Set<Memory>(), new Set<Memory>()]
  const { heap } = backend
  for (const op of ops) {
    if (op.kind === 'dispatch') {
      const { plan } = op.step
      for (const memory of plan.reads) reads.add(memory)
      for (const memory of plan.writes) writes.add(memory)
      use(backend, plan)
    } else if (op.kind === 'copy') {
      const { from, to } = op
      const whole = to.size === to.memory.size
      reads.add(from.memory)
      writes.add(to.memory)
      if (!whole) reads.add(to.memory)
      heap.use(from.memory, false)
      heap.use(to.memory, whole)
    } else {
      reads.add(op.part.memory)
      heap.use(op.part.memory, false)
    }
  }
  return { reads: [...reads], writes: [...writes] }
}

/**
 * As if each part had been called by itself in a batch: where somebody watches, and where nothing is to be gained. `plans`
 * are those of the dispatches, in order.
 */
export function oneByOne(backend: Backend, ops: Ops, plans: readonly KeptPlan[]): Replayed {
  const { observers, stream } = backend
  const outcomes: Outcome[] = []
  const reads: Promise<Uint8Array<ArrayBuffer>[]>[] = []
  let next = 0
  stream.enter()
  for (const op of ops) {
    if (op.kind === 'dispatch') {
      const plan = plans[next++] as KeptPlan
      if (!isEmpty(plan)) outcomes.push(dispatched(backend, plan.program, plan))
    } else if (op.kind === 'copy') {
      observers?.transfer({ kind: 'copy', memory: op.to.memory, offset: op.to.offset, size: op.to.size })
      outcomes.push(backend.copy(op.from, op.to))
    } else {
      observers?.transfer({ kind: 'read', ...op.part })
      reads.push(backend.read([op.part]))
    }
  }
  outcomes.push(stream.leave())
  const bytes = reads.length > 0 ? Promise.all(reads).then((all) => all.flat()) : null
  return { outcome: firstOf(outcomes), reads: bytes }
}
