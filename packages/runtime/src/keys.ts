import { fault, quoted, shown } from './errors'

/** Every option, so that one which is added to a type and not to its list does not compile. */
export type Keys<T> = Readonly<Record<keyof T, true>>

/** Throws `bad-argument` where an option is misspelled, which would otherwise be as if it had not been given. */
export function checkKeys(what: string, given: unknown, known: Keys<object>): void {
  if (typeof given !== 'object' || given === null) {
    throw fault('bad-argument', `${what} was given ${shown(given)}, expected an object`)
  }
  for (const name in given) {
    if (Object.hasOwn(known, name)) continue
    throw fault('bad-argument', `${what} knows no option '${name}'`, `its options are ${quoted(Object.keys(known))}`)
  }
}
