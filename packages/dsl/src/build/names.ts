import { fail } from './context'
import { describe } from './lift'

const IDENTIFIER = /^[\p{XID_Start}_][\p{XID_Continue}]*$/u

/** Names may be any identifier, reserved words included: the emitter renames those. */
export function checkName(name: unknown, what: string): string {
  if (typeof name === 'string' && IDENTIFIER.test(name)) return name
  return fail(
    'bad-name',
    `${describe(name)} is not a name for ${what}`,
    'a name starts with a letter or _ and goes on with letters, digits and _',
  )
}
