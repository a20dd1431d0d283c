import { type Block, type Expr, type Place, type Result, type Stmt, withOperands } from '@weft/dsl/ir'
import { mapStmt } from './map'

export interface Substitution {
  readonly fresh: () => number
  /** What takes the place of results from outside the block, as the index of a loop. */
  readonly results?: ReadonlyMap<number, Expr>
  /** What takes the place of value parameters, by name. */
  readonly args?: ReadonlyMap<string, Expr>
  /** What pointer parameters refer to, by name. */
  readonly pointers?: ReadonlyMap<string, Place>
  /** Applied to every expression that changes. */
  readonly simplify?: (e: Expr) => Expr
}

/** A copy of a block in which every result and variable is a new one. */
export function copyBlock(block: Block, by: Substitution): Block {
  const results = new Map<number, Expr>(by.results)
  const variables = new Map<number, number>()
  const done = new Map<Expr, Expr>()

  const expr = (e: Expr): Expr => {
    if (e.kind === 'result') return results.get(e.id) ?? e
    const known = done.get(e)
    if (known) return known
    const next = renewed(e)
    done.set(e, next)
    return next
  }
  const renewed = (e: Expr): Expr => {
    if (e.kind === 'argument') return by.args?.get(e.name) ?? e
    const next = withOperands(e, expr)
    const moved = next.kind === 'length' ? { ...next, of: reroot(next.of) } : next
    return moved !== e && by.simplify ? by.simplify(moved) : moved
  }
  const reroot = (p: Place): Place => {
    const { root } = p
    if (root.kind === 'variable') {
      const id = variables.get(root.id)
      return id === undefined ? p : { ...p, root: { kind: 'variable', id } }
    }
    const to = root.kind === 'pointer' ? by.pointers?.get(root.name) : undefined
    return to ? { ...p, root: to.root, steps: [...to.steps, ...p.steps] } : p
  }
  const result = <R extends Result | null>(r: R): R => {
    if (!r) return r
    const next: Result = { kind: 'result', type: r.type, id: by.fresh() }
    results.set(r.id, next)
    return next as R
  }
  const stmt = (s: Stmt): Stmt => {
    if (s.kind === 'range') {
      // the bounds do not see the index
      const start = expr(s.start)
      const end = expr(s.end)
      const step = expr(s.step)
      const index = result(s.index)
      return { ...s, start, end, step, index, body: s.body.map(stmt) }
    }
    const next = mapStmt(s, expr, (inner) => inner.map(stmt))
    switch (next.kind) {
      case 'let':
        return { ...next, result: result(next.result) }
      case 'var': {
        const id = by.fresh()
        variables.set(next.variable.id, id)
        return { ...next, variable: { ...next.variable, id } }
      }
      case 'load':
        return { ...next, place: reroot(next.place), result: result(next.result) }
      case 'store':
        return { ...next, place: reroot(next.place) }
      case 'effect':
        return {
          ...next,
          place: next.place && reroot(next.place),
          result: result(next.result),
          exchanged: result(next.exchanged),
        }
      case 'call':
        return {
          ...next,
          args: next.args.map((a) => (a.kind === 'place' ? reroot(a) : a)),
          result: result(next.result),
        }
      default:
        return next
    }
  }
  return block.map(stmt)
}
