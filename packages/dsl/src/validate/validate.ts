import type { Diagnostic } from '../diagnostics'
import type { Kernel } from '../ir'
import { checkAliasing } from './aliasing'
import { checkBodies } from './bodies'
import { Context, type ValidateOptions } from './context'
import { checkDeclarations, checkMemory } from './declarations'
import { checkFlow } from './flow'
import { checkNames } from './names'
import { checkOutputs } from './outputs'
import { checkResources } from './resources'
import { checkShareable } from './shareable'

/**
 * What an author got wrong in a kernel that the builder made, in the order of the checks; nothing: it can be emitted, and
 * every WGSL compiler takes what is emitted. Checks that rely on sound declarations or bodies run only where those are
 * sound. Of IR from elsewhere, ask `checkStructure` first.
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
  checkFlow(context)
  checkOutputs(context)
  return diagnostics
}

const RESOURCE: ReadonlySet<string> = new Set(['workgroup-size', 'too-many-bindings', 'immediate-size'])
