import type { Code } from '@weft/codegen'

/** A place in the author's source. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** One fault, as data; the same shape as the compiler's diagnostics. */
export interface Diagnostic {
  readonly code: Code
  readonly message: string
  readonly position?: Position | null
  /** A way out. */
  readonly note?: string
}

function render({ code, message, position, note }: Diagnostic): string {
  const lines = [`${code}: ${message}`]
  if (position) lines.push(`  at ${position.file}:${position.line}:${position.column}`)
  if (note) lines.push(`  note: ${note}`)
  return lines.join('\n')
}

/**
 * Every error that the runtime throws or rejects with. It is the compiler's `WeftError` in shape, not in identity:
 * an app with generated kernels ships no compiler, so test `error.code` rather than `instanceof` across packages.
 */
export class WeftError extends Error {
  override readonly name = 'WeftError'
  readonly code: Code
  readonly diagnostics: readonly Diagnostic[]

  constructor(first: Diagnostic, ...more: Diagnostic[]) {
    super([first, ...more].map(render).join('\n'))
    this.code = first.code
    this.diagnostics = [first, ...more]
  }

  /** The author's position of the first diagnostic. */
  get position(): Position | null {
    return this.diagnostics[0]?.position ?? null
  }
}

/** `throw fault('bad-param', …)` */
export const fault = (code: Code, message: string, note?: string): WeftError =>
  new WeftError(note === undefined ? { code, message } : { code, message, note })

/** Whether something is a WeftError of this package or of another. */
export const isWeftError = (error: unknown): error is WeftError =>
  error instanceof Error && error.name === 'WeftError' && 'diagnostics' in error

/** What an error says. A device's own errors are no `Error`s. */
export const textOf = (error: unknown): string =>
  String((error as { readonly message?: unknown } | null | undefined)?.message ?? error)

/** Any error as one of ours. */
export const asFault = (error: unknown): WeftError =>
  isWeftError(error) ? error : fault('dispatch-failed', textOf(error))

/** The first of the errors that several promises found, in their order, once all are known. */
export async function firstOf<T>(found: readonly Promise<T | null>[]): Promise<T | null> {
  return (await Promise.all(found)).find((each) => each !== null) ?? null
}

/** What the caller called. */
export type Entry = (...args: never[]) => unknown

/** Lets the stack of an error of ours begin with who called `entry`: ten frames are too few for all of our own. */
export function calledBy(entry: Entry, error: unknown): unknown {
  if (error instanceof WeftError) Error.captureStackTrace?.(error, entry)
  return error
}

/** A byte count for people: `154,389,504`. Not by locale, so that messages are the same everywhere. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',')

export const quoted = (names: Iterable<string>): string => [...names].map((name) => `'${name}'`).join(', ') || 'none'

/** What a value is, for messages: `a Float32Array`, `undefined`, `'text'`. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  const { name = 'Object' } = (value.constructor ?? {}) as { readonly name?: string }
  return name === 'Object' ? 'an object' : `${/^(?!Ui)[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
}
