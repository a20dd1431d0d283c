import type { Context } from '../context'
import { Flow, type Summary } from './flow'

/**
 * What depends on how control flows: barriers, subgroup operations and arguments that must be uniform, and stores whose
 * index nothing limits. Functions first, then the entry point.
 */
export function checkFlow(context: Context): void {
  const { functions, body } = context.kernel
  const summaries = new Map<string, Summary>()
  for (const f of functions) summaries.set(f.name, new Flow(context, f, summaries).run(f.body))
  new Flow(context, null, summaries).run(body)
}
