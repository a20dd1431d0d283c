import type { Place, Step } from '@weft/dsl/ir'
import type { Declared, Space } from './context'

interface Write {
  readonly time: number
  readonly place: Place
}

/** When a function writes to memory, and where. */
export class Writes {
  /** By what the places are in; all that pointers point to may be the same. */
  readonly #places = new Map<Declared | null, Write[]>()
  /** Times at which other invocations' writes may become visible, or a function wrote something. */
  readonly #barriers: number[] = []

  store(place: Place, root: Declared, time: number): void {
    const key = place.root.kind === 'pointer' ? null : root
    const list = this.#places.get(key)
    if (list) list.push({ time, place })
    else this.#places.set(key, [{ time, place }])
  }

  barrier(time: number): void {
    this.#barriers.push(time)
  }

  /** Whether anything in (after, until] may change what `place` holds. */
  clobber(place: Place, root: Declared, after: number, until: number): boolean {
    if (until <= after) return false
    const pointer = place.root.kind === 'pointer'
    if (pointer || !OWN.has(root.space)) for (const t of this.#barriers) if (t > after && t <= until) return true
    const writes = this.#places.get(pointer ? null : root)
    if (writes) for (const w of writes) if (w.time > after && w.time <= until && mayOverlap(w.place, place)) return true
    return false
  }
}

/** What no barrier makes new and no function that is called can change. */
const OWN: ReadonlySet<Space> = new Set<Space>(['function', 'uniform', 'immediate', 'read'])

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
