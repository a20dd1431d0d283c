import type { Stmt } from '@weft/dsl/ir'
import type { Context } from './context'
import type { Site } from './sites'

/** Statements that leave no text: what they read is written where it is used, or used nowhere. */
export function isSilent(s: Stmt, c: Context): boolean {
  switch (s.kind) {
    case 'load':
      return c.plan.inlined[s.result.id] !== undefined || c.plan.uses(s.result) === 0
    case 'let':
      return c.plan.uses(s.result) === 0
    case 'call':
      return (
        s.result !== null &&
        (c.plan.inlinedCalls.has(s.result.id) || (c.plan.uses(s.result) === 0 && c.memory.isValue(s.func)))
      )
    default:
      return false
  }
}

/** Whether nothing is written at a site: neither what is bound there nor its statement. */
export const isQuiet = (at: Site, c: Context): boolean =>
  at.binds.length === 0 && (at.stmt === null || isSilent(at.stmt, c))

export const areQuiet = (sites: readonly Site[], c: Context): boolean => sites.every((at) => isQuiet(at, c))
