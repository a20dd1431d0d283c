import type { Context } from '../context'
import { Bodies } from './bodies'

/**
 * The bodies of a kernel, functions first: what authors can get wrong and the builder does not see. The builder
 * answers for types, for the scope of values and for the access of loads and stores; not for the places that it hands to
 * effects and calls. On the way, what later checks need is noted in the context.
 */
export function checkBodies(context: Context): void {
  const { kernel } = context
  const bodies = new Bodies(context)
  for (const v of kernel.variables) bodies.declare(v)
  for (const f of kernel.functions) bodies.body(f, f.body)
  bodies.body(null, kernel.body)
}
