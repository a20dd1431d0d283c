import { type Command, CommandError, type Io, UsageError } from './command'
import { isWeftError } from './errors'
import { didYouMean } from './nearest'

export const processIo: Io = {
  cwd: process.cwd(),
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

interface Failure {
  readonly exit: 1 | 2
  readonly text: string
  readonly error: Readonly<Record<string, unknown>>
}

function failure(error: unknown, command: string): Failure {
  if (error instanceof UsageError) {
    const line = command === '' ? 'weft' : `weft ${command}`
    const text = `${line}: ${error.message}\n  note: ${line} --help`
    return { exit: 2, text, error: { code: 'usage', message: error.message } }
  }
  if (error instanceof CommandError) {
    return { exit: 1, text: error.message, error: { code: error.code, message: error.message } }
  }
  if (isWeftError(error)) {
    const { code, message, diagnostics } = error
    return { exit: 1, text: message, error: { code, message, diagnostics } }
  }
  const message = error instanceof Error ? error.message : String(error)
  // a file or a folder that the command line names; the stack says nothing of it
  if (error instanceof Error && 'syscall' in error) {
    return { exit: 1, text: `weft ${command}: ${message}`, error: { code: 'failed', message } }
  }
  const text = error instanceof Error ? (error.stack ?? message) : message
  return { exit: 1, text, error: { code: 'failed', message } }
}

/** Runs the command that a line begins with, of those that there are, and gives the exit code. Nothing is thrown. */
export async function runLine(commands: readonly Command[], args: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = args
  const command = commands.find((candidate) => candidate.name === name)
  const json = rest.includes('--json')
  if (command === undefined) {
    const names = commands.map((one) => one.name)
    const meant = didYouMean(name, names) || `; there are ${names.join(', ')}`
    return fail(io, json, failure(new UsageError(`there is no command '${name}'${meant}`), ''))
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(command.help)
    return 0
  }
  try {
    const { ok, text, data } = await command.run(rest, io)
    io.out(json ? `${JSON.stringify(data, null, 2)}\n` : text === '' || text.endsWith('\n') ? text : `${text}\n`)
    return ok ? 0 : 1
  } catch (error) {
    return fail(io, json, failure(error, name))
  }
}

function fail(io: Io, json: boolean, { exit, text, error }: Failure): number {
  if (json) io.out(`${JSON.stringify({ ok: false, error }, null, 2)}\n`)
  io.err(`${text}\n`)
  return exit
}
