import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Plugin } from 'esbuild'
import { didYouMean } from './nearest'

export type Options = NonNullable<ParseArgsConfig['options']>

/** What a command may touch of its process; tests give their own. */
export interface Io {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The result: text, or one JSON document. */
  out(text: string): void
  /** Progress and errors. */
  err(text: string): void
  /** For bundling the author's modules; the scripts of this repository take weft from its sources with it. */
  readonly plugins?: readonly Plugin[]
  /** Modules by their paths that are loaded already: of a program that is one file, on a machine without a bundler. */
  readonly modules?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** What a command found: the same as text and as data. */
export interface Report {
  /** false: a check failed or a difference was found (exit code 1). */
  readonly ok: boolean
  readonly text: string
  readonly data: unknown
}

export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What `weft NAME --help` prints. */
  readonly help: string
  run(args: readonly string[], io: Io): Promise<Report>
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command cannot do its work: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  constructor(
    readonly code: string,
    message: string,
    readonly note?: string,
  ) {
    super(note === undefined ? `${code}: ${message}` : `${code}: ${message}\n  note: ${note}`)
  }
}

/** Every command takes it; `cli.ts` acts on it. */
const COMMON = { json: { type: 'boolean' } } as const satisfies Options

/** `util.parseArgs`, with its errors as usage errors; `note` is what else there is to know of an option that there is not. */
export function parse<const O extends Options>(args: readonly string[], options: O, note = '') {
  try {
    return parseArgs({ args: [...args], options: { ...options, ...COMMON }, allowPositionals: true, strict: true })
  } catch (error) {
    // Node appends advice on positionals that start with a dash, which does not fit here
    const message = error instanceof Error ? (error.message.split('. To specify')[0] ?? '') : String(error)
    const [, unknown] = /^Unknown option '-+(.+)'/.exec(message) ?? []
    if (unknown === undefined) throw new UsageError(message.replace(/\.$/, ''))
    const known = [...Object.keys(options), ...Object.keys(COMMON), 'help']
    throw new UsageError(`there is no option '--${unknown}'${didYouMean(unknown, known, '--')}${note}`)
  }
}

/** One of a list of words. */
export function choice<const T extends string>(value: string, of: readonly T[], what: string): T {
  const found = of.find((word) => word === value)
  if (found === undefined)
    throw new UsageError(`${what} is '${value}', expected ${of.join(', ')}${didYouMean(value, of)}`)
  return found
}
