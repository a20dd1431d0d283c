import type { Diagnostic } from '../diagnostics'
import type { Kernel } from '../ir'
import { checkAliasing } from './aliasing'
import { Context, type ValidateOptions } from './context'
import { checkDeclarations, checkMemory } from './declarations'
import { checkGuards } from './guards'
import { checkNames } from './names'
import { checkOutputs } from './outputs'
import { checkResources } from './resources'
import { checkShareable } from './shareable'
import { checkCallGraph } from './structure/calls'
import { Statements } from './structure/statements'
import { checkUniformity } from './uniformity'

/**
 * Everything that is wrong with a kernel, in the order of the checks; none: it can be emitted, and every WGSL
 * compiler takes what is emitted. Checks that rely on sound declarations or bodies run only where those are sound.
 */
export function validate(kernel: Kernel, options: ValidateOptions = {}): Diagnostic[] {
  const context = new Context(kernel, options)
  const { diagnostics } = context
  checkNames(context)
  checkShareable(context)
  checkDeclarations(context)
  if (diagnostics.length > 0) return diagnostics
  checkResources(context)
  checkBodies(context)
  if (diagnostics.some((d) => d.code !== 'const-domain' && !RESOURCE.has(d.code))) return diagnostics
  checkMemory(context)
  checkAliasing(context)
  checkUniformity(context)
  checkGuards(context)
  checkOutputs(context)
  return diagnostics
}

const RESOURCE: ReadonlySet<string> = new Set(['workgroup-size', 'too-many-bindings', 'immediate-size'])

function checkBodies(context: Context): void {
  if (!checkCallGraph(context)) return
  const statements = new Statements(context)
  for (const v of context.kernel.variables) {
    if (!statements.scopes.declare(v)) context.report('invalid-ir', `variable ${v.id} is declared twice`)
  }
  for (const f of context.kernel.functions) statements.body(f, f.body)
  statements.body(null, context.kernel.body)
}
