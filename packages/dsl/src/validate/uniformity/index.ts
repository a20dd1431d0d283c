import type { Func } from '../../ir'
import type { Context } from '../context'
import { Flow, type Summary } from './flow'
import { step } from './steps'

/** Barriers, subgroup operations and arguments that must be uniform: functions first, then the entry point. */
export function checkUniformity(context: Context): void {
  const summaries = new Map<string, Summary>()
  for (const f of context.kernel.functions)
    summaries.set(f.name, new Flow(context, f, slotsOf(f, context), summaries, step).run(f.body))
  // What comes after it cannot be wrong.
  const body = context.kernel.body.slice(0, context.lastSynchronized + 1)
  new Flow(context, null, slotsOf(null, context), summaries, step).run(body)
}

const slotsOf = (f: Func | null, context: Context): ReadonlyMap<number, number> =>
  new Map((context.locals.get(f) ?? []).map((v, i) => [v.id, i]))
