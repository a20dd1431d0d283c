import type { Expr, Place, Step } from '@weft/dsl/ir'

/**
 * Traversal for passes, which see every node several times: no lists are made of operands, and nothing new of a node
 * whose operands stay the same.
 */

/** Calls `f` for each operand, in order of evaluation. */
export function eachOperand(e: Expr, f: (operand: Expr) => void): void {
  switch (e.kind) {
    case 'op':
    case 'construct': {
      const { args } = e
      for (let i = 0; i < args.length; i++) f(args[i] as Expr)
      return
    }
    case 'convert':
    case 'bitcast':
      f(e.arg)
      return
    case 'swizzle':
    case 'member':
      f(e.of)
      return
    case 'index':
      f(e.of)
      f(e.index)
      return
    case 'length':
      eachIndex(e.of, f)
      return
    default:
  }
}

/** Calls `f` for each expression in a place. */
export function eachIndex(place: Place, f: (e: Expr) => void): void {
  if (place.root.kind === 'view') f(place.root.offset)
  const { steps } = place
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step
    if (step.kind === 'index') f(step.index)
  }
}

/** `e` with its operands replaced; itself when none changes. */
export function rebuild(e: Expr, f: (operand: Expr) => Expr): Expr {
  switch (e.kind) {
    case 'op':
    case 'construct': {
      const args = rebuildList(e.args, f)
      if (args === e.args) return e
      return e.kind === 'op'
        ? { kind: 'op', at: e.at, type: e.type, op: e.op, args }
        : { kind: 'construct', at: e.at, type: e.type, args }
    }
    case 'convert': {
      const arg = f(e.arg)
      return arg === e.arg ? e : { kind: 'convert', at: e.at, type: e.type, arg }
    }
    case 'bitcast': {
      const arg = f(e.arg)
      return arg === e.arg ? e : { kind: 'bitcast', at: e.at, type: e.type, arg }
    }
    case 'swizzle': {
      const of = f(e.of)
      return of === e.of ? e : { kind: 'swizzle', at: e.at, type: e.type, of, lanes: e.lanes }
    }
    case 'member': {
      const of = f(e.of)
      return of === e.of ? e : { kind: 'member', at: e.at, type: e.type, of, name: e.name }
    }
    case 'index': {
      const of = f(e.of)
      const index = f(e.index)
      return of === e.of && index === e.index ? e : { kind: 'index', at: e.at, type: e.type, of, index }
    }
    case 'length': {
      const of = rebuildPlace(e.of, f)
      return of === e.of ? e : { kind: 'length', at: e.at, type: e.type, of }
    }
    default:
      return e
  }
}

export function rebuildList(list: readonly Expr[], f: (e: Expr) => Expr): readonly Expr[] {
  let out: Expr[] | null = null
  for (let i = 0; i < list.length; i++) {
    const e = list[i] as Expr
    const next = f(e)
    if (next !== e) out ??= list.slice()
    if (out) out[i] = next
  }
  return out ?? list
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
