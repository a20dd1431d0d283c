import { WeftError } from './error'
import { here } from './position'

/** Refuses an option that is misspelled, which would otherwise be as if it had not been given. */
export function checkKeys(what: string, given: object, known: readonly string[]): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    throw new WeftError({
      code: 'bad-argument',
      message: `${what} knows no option '${key}'`,
      position: here(),
      note: `its options: ${known.join(', ')}`,
    })
  }
}
