import { forEachStmt, type Block } from '../../ir'
import type { Context } from '../context'
import { Flow, type Summary } from './flow'
import { step } from './steps'

/** Barriers, subgroup operations and arguments that must be uniform: functions first, then the entry point. */
export function checkUniformity(context: Context): void {
  const summaries = new Map<string, Summary>()
  for (const f of context.kernel.functions) summaries.set(f.name, new Flow(context, f, slotsOf(f.body), summaries, step).run(f.body))
  new Flow(context, null, slotsOf(context.kernel.body), summaries, step).run(context.kernel.body)
}

function slotsOf(body: Block): ReadonlyMap<number, number> {
  const slots = new Map<number, number>()
  forEachStmt(body, (s) => {
    if (s.kind === 'var') slots.set(s.variable.id, slots.size)
  })
  return slots
}
