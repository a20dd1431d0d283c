import type { Block, Const, Expr, Kernel, Let, Result } from '@weft/dsl/ir'
import { mapBodies, mapSame, mapStmt } from './map'
import { definedOperands, knownConstant } from './operands'
import { working } from './rewrite'
import { isTrap } from './traps'

/**
 * Constant expressions that compilers refuse have values at run time: `sqrt(-1)`, an overflow, a bitcast to NaN. What
 * folding could not replace by a literal gets its constants from a `let`, which is not a constant to WGSL. Shifts and
 * divisions of integers, through whose `let`s naga looks, get operands that mean the same.
 */
export function runtimeConstants(kernel: Kernel): Kernel {
  const k = working(kernel)
  const { graph } = k
  if (!graph.traps && graph.constants.size === 0) return kernel
  return mapBodies(k, (body) => {
    const lets: Let[] = []
    const named = new Map<Expr, Result>()
    const name = (c: Const): Result => {
      const known = named.get(c)
      if (known) return known
      const result = graph.result(c.type)
      named.set(c, result)
      lets.push({ kind: 'let', at: -1, name: 'constant', value: c, result })
      return result
    }
    const known = (e: Expr): Const | null => knownConstant(e, graph.constants)
    const done = new Map<Expr, Expr>()
    const go = (e: Expr): Expr => {
      let made = done.get(e)
      if (made) return made
      made = graph.rebuild(e, go)
      if (made.kind === 'op') made = graph.expr(definedOperands(made, known))
      if (isTrap(made)) made = graph.rebuild(made, (o) => (o.kind === 'const' ? name(o) : o))
      done.set(e, made)
      return made
    }
    const block = (b: Block): Block => mapSame(b, (s) => mapStmt(s, go, block))
    const next = block(body)
    return lets.length === 0 ? next : [...lets, ...next]
  })
}
