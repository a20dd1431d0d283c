import type { Program } from './backend'
import { fault, type WeftError } from './errors'
import type { Draft } from './kernel'
import type { Workgroups } from './launch'

/** A dispatch that is kept, as it is now: a checked launch with its compiled program. */
export interface KeptPlan extends Draft {
  readonly program: Program
  /** Params change in place. */
  workgroups: Workgroups | null
}

/** A kept dispatch as it changes. */
export interface Step {
  /** As of the last call. */
  latest: KeptPlan
  /** The same once everything before that call has taken its place in the order of all work; who follows is told then. */
  plan: KeptPlan
  readonly followers: Set<{ changed(step: Step): void }>
}

/** Why a kept dispatch can run no more, or null. */
export function staleness({ kernel, ranges, indirect }: Draft): WeftError | null {
  for (const [name, { memory }] of ranges) {
    if (memory.destroyed) return stale(`'${kernel.name}'`, `its '${name}', the buffer '${memory.label}',`)
  }
  if (indirect?.memory.destroyed)
    return stale(`'${kernel.name}'`, `the buffer '${indirect.memory.label}' with its counts`)
  return null
}

export const stale = (who: string, what: string): WeftError =>
  fault(
    'stale-replay',
    `${who} was prepared with a buffer that is gone: ${what} was destroyed`,
    'keep the buffer while it is used, bind another one, or prepare and record again',
  )
