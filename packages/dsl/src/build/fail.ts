import { type Code, here, WeftError } from '../diagnostics'

/** Stops with an error at the author's line. */
export function fail(code: Code, message: string, note?: string): never {
  throw new WeftError({ code, message, position: here(), note })
}
