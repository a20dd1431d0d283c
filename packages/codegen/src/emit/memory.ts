import type { Place, Step } from '@weft/dsl/ir'
import type { Declared, Space, Write } from './context'

/** What no barrier makes new and no function that is called can change. */
const OWN: ReadonlySet<Space> = new Set<Space>(['function', 'uniform', 'immediate', 'read'])

/** What a function does to memory, but for the writes to each variable and binding, see `Declared`. */
export interface Log {
  /** Times at which other invocations' writes may become visible, or a function wrote something. */
  readonly barriers: number[]
  /** What two pointers point to may be the same. */
  readonly throughPointers: Write[]
}

/** Whether anything in (after, until] may change what a place in `root` holds. */
export function isClobbered(place: Place, root: Declared, log: Log, after: number, until: number): boolean {
  if (until <= after) return false
  const isPointer = place.root.kind === 'pointer'
  if (isPointer || !OWN.has(root.space)) {
    for (const time of log.barriers) if (time > after && time <= until) return true
  }
  for (const w of isPointer ? log.throughPointers : root.writes)
    if (w.time > after && w.time <= until && mayOverlap(w.place, place)) return true
  return false
}

/** Two places of one root overlap unless they part at a member or at constant indices. */
function mayOverlap(a: Place, b: Place): boolean {
  if (a.root.kind === 'view' || a.root.kind === 'pointer') return true
  const n = Math.min(a.steps.length, b.steps.length)
  for (let i = 0; i < n; i++) {
    const x = a.steps[i] as Step
    const y = b.steps[i] as Step
    if (x.kind === 'member' && y.kind === 'member') {
      if (x.name !== y.name) return false
    } else if (x.kind === 'index' && y.kind === 'index') {
      if (x.index.kind === 'const' && y.index.kind === 'const' && x.index.lanes[0] !== y.index.lanes[0]) return false
    } else return true
  }
  return true
}
