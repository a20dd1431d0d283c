import type { Expr, Place, Result } from '../ir'
import { isConstructible, spell } from '../types'
import { fail, type Session } from './context'
import { checkUsable, type Handle, STATE, type State } from './handle'

/**
 * The expression of a handle, checked to be usable here. A reference that was made by `.at(…)` or a lane was read
 * when it was made; a variable is read now, at its mention.
 */
export function read(handle: Handle, session: Session | null): Expr {
  const s = handle[STATE]
  checkUsable(s, session)
  s.used = true
  if (s.place === null) return s.node as Expr
  refuseRead(s)
  if (s.node === null) return load(s, s.place)
  if (s.written) {
    fail(
      'stale-read',
      `${s.label} is read after it was set, but its value is the one from before`,
      'read it again: write the .at(…) once more, or keep the new value with k.let',
    )
  }
  return s.node
}

function refuseRead(s: State): void {
  if (s.access === 'write') {
    fail('binding-access', `${s.label} is an output and cannot be read`, 'declare it inout(…) to read and write it')
  }
  if (!isConstructible(s.type)) {
    fail('bad-type', `${s.label} of type ${spell(s.type)} cannot be read as a value`, hint(s))
  }
}

const hint = (s: State): string =>
  typeof s.type !== 'string' && s.type.kind === 'atomic' ? 'atomics are read with .load()' : 'read its elements: .at(i)'

/** Emits a load, here and now. */
export function load(s: State, place: Place): Result {
  const session = s.session as Session
  const scope = session.scope
  const result = scope.result(s.type)
  scope.emit({ kind: 'load', at: session.at(), place, result })
  return result
}
