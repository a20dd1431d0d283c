import { type Command, CommandError, type Io, UsageError } from './command'
import { doctor } from './commands/doctor'
import { explain } from './commands/explain'
import { gen } from './commands/gen'
import { runCommand } from './commands/run'
import { show } from './commands/show'
import { tune } from './commands/tune'
import { isWeftError } from './errors'
import { version } from './version'

const COMMANDS: readonly Command[] = [gen, show, runCommand, explain, tune, doctor]

const HELP = `weft: typed WGSL compute kernels

usage: weft COMMAND [ARGUMENTS]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(9)} ${summary}`).join('\n')}

  weft COMMAND --help   what a command takes
  weft --version        the version

Every command takes --json: one JSON document on stdout, and nothing else there.
Exit codes: 0 all is well; 1 a check failed, a difference was found, or a kernel is wrong; 2 the command line is wrong.
`

const processIo: Io = {
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
    const text = `weft ${command}: ${error.message}\n  note: weft ${command} --help`
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
  const text = error instanceof Error ? (error.stack ?? message) : message
  return { exit: 1, text, error: { code: 'failed', message } }
}

/** Runs one command line and gives its exit code. Nothing is thrown. */
export async function cli(args: readonly string[], io: Io = processIo): Promise<number> {
  const [name = '', ...rest] = args
  if (name === '--version' || name === '-v') return say(io, `${version}\n`)
  if (name === '' || name === '--help' || name === '-h' || name === 'help') return say(io, HELP, name === '' ? 2 : 0)
  const command = COMMANDS.find((candidate) => candidate.name === name)
  const json = rest.includes('--json')
  if (command === undefined) return fail(io, json, failure(new UsageError(`there is no command '${name}'`), ''))
  if (rest.includes('--help') || rest.includes('-h')) return say(io, command.help)
  try {
    const { ok, text, data } = await command.run(rest, io)
    io.out(json ? `${JSON.stringify(data, null, 2)}\n` : text === '' || text.endsWith('\n') ? text : `${text}\n`)
    return ok ? 0 : 1
  } catch (error) {
    return fail(io, json, failure(error, name))
  }
}

function say(io: Io, text: string, exit = 0): number {
  io.out(text)
  return exit
}

function fail(io: Io, json: boolean, { exit, text, error }: Failure): number {
  if (json) io.out(`${JSON.stringify({ ok: false, error }, null, 2)}\n`)
  io.err(`${text}\n`)
  return exit
}
