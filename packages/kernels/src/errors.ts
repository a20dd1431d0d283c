import type { Code } from '@weft/codegen'

/** As in the errors of the compiler and of the runtime. */
interface Diagnostic {
  readonly code: Code
  readonly message: string
  readonly note?: string
}

/**
 * What the host functions throw where an argument is not what it must be: a `RangeError` that has the shape of the other packages' `WeftError`,
 * so that `error.code` tells a mistake of the caller from one of the device. The class is of this package, which loads no other one.
 */
export class ArgumentError extends RangeError {
  override readonly name = 'WeftError'
  readonly code: Code
  readonly diagnostics: readonly Diagnostic[]
  readonly position = null

  constructor(diagnostic: Diagnostic) {
    const { code, message, note } = diagnostic
    super(`${code}: ${message}${note === undefined ? '' : `\n  note: ${note}`}`)
    this.code = code
    this.diagnostics = [diagnostic]
  }
}

/** `throw badArgument('matmul: m must be …', 'a way out')` */
export const badArgument = (message: string, note?: string): ArgumentError =>
  new ArgumentError({ code: 'bad-argument', message, ...(note === undefined ? {} : { note }) })

/** What a value is, for messages: `'text'`, `an array`, `a Float32Array`, `undefined`. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value))
    return value.length <= 8 && value.every((x) => typeof x === 'number') ? `[${value.join(', ')}]` : 'an array'
  const { name = 'object' } = (value.constructor ?? {}) as { readonly name?: string }
  return name === 'Object' ? 'an object' : `${/^(?!Ui)[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
}
