import type { Expr, Place, Step } from '@weft/dsl/ir'

/** Places: no lists are made of their expressions, and nothing new where these stay the same. */

/** Calls `f` for each expression in a place. */
export function eachIndex(place: Place, f: (e: Expr) => void): void {
  if (place.root.kind === 'view') f(place.root.offset)
  const { steps } = place
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step
    if (step.kind === 'index') f(step.index)
  }
}

export function rebuildPlace(place: Place, f: (e: Expr) => Expr): Place {
  let { root } = place
  if (root.kind === 'view') {
    const offset = f(root.offset)
    if (offset !== root.offset) root = { ...root, offset }
  }
  const { steps } = place
  let out: Step[] | null = null
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step
    if (step.kind !== 'index') continue
    const index = f(step.index)
    if (index === step.index) continue
    out ??= steps.slice()
    out[i] = { kind: 'index', index, type: step.type }
  }
  return out || root !== place.root ? { kind: 'place', type: place.type, root, steps: out ?? steps } : place
}
