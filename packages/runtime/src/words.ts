import { fault, quoted, shown } from './errors'

/**
 * Throws `bad-argument` where an option is given and is none of the words that it may be. Not among the keys: what an app
 * ships at first has no such option.
 */
export function checkWord(option: string, given: unknown, words: readonly string[]): void {
  if (given === undefined || words.includes(given as string)) return
  throw fault('bad-argument', `the option '${option}' is ${shown(given)}, expected one of ${quoted(words)}`)
}
