import type { Diagnostic } from '../../diagnostics'
import type { Kernel } from '../../ir'
import { Context } from '../context'
import { checkCallGraph } from './calls'
import { checkDeclared } from './declared'
import { Statements } from './statements'

/**
 * The rules of the IR itself: types, names, scopes, the order of functions, the placement of jumps. What the builder
 * makes keeps them; so must every pass, and whoever writes IR in another way. Apart from `validate`, so that an app which
 * compiles kernels need not ship it.
 */
export function checkStructure(kernel: Kernel): Diagnostic[] {
  const context = new Context(kernel, {})
  checkDeclared(context)
  if (context.diagnostics.length > 0 || !checkCallGraph(context)) return context.diagnostics
  const statements = new Statements(context)
  for (const v of kernel.variables) {
    if (!statements.declare(v)) context.report('invalid-ir', `variable ${v.id} is declared twice`)
  }
  for (const f of kernel.functions) statements.body(f, f.body)
  statements.body(null, kernel.body)
  return context.diagnostics
}
