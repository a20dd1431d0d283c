import type { Args } from '../args'
import type { checkCall } from '../host'
import { HOST_OPTIONS } from '../options'

/**
 * The tables of host functions, as `checkCall` gets them:
 *
 *     vi.mock('./host', async (original) => (await import('./testing/recorded')).recorded(await original()))
 *
 * Apart from what uses them, since that loads the functions, and these the module that is being made.
 */

/** What a function takes: its arguments and its options. */
export interface Tables {
  readonly what: string
  readonly args: Args
  readonly options: Args
}

/** What `checkCall` was called with, in order. */
export const noted: Tables[] = []

/** The module `host`, with a `checkCall` that notes what it is called with. */
export function recorded<M extends { readonly checkCall: typeof checkCall }>(host: M): M {
  const noting: typeof checkCall = (runtime, what, given, args, options, optional = HOST_OPTIONS) => {
    noted.push({ what, args, options: optional })
    host.checkCall(runtime, what, given, args, options, optional)
  }
  return { ...host, checkCall: noting }
}
