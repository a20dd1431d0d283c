import type { Expr, Place } from '../ir'
import type { EffectName } from '../ops'
import type { Type } from '../types'
import type { Session } from './context'
import { type State, valueState } from './handle'

/** Emits an effect, here and now; gives the state of its value, or null where it has none. */
export function emitEffect(
  session: Session,
  op: EffectName,
  place: Place | null,
  args: readonly Expr[],
  out: Type | null,
  majorness: 'row' | 'col' | null = null,
): State | null {
  const { scope } = session
  const at = session.at()
  const result = out === null ? null : scope.result(out)
  scope.emit({ kind: 'effect', at, op, place, args, result, exchanged: null, majorness })
  return result === null ? null : valueState(result, scope, at, `the value of ${op}`)
}
