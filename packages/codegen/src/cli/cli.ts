import type { Command, Io } from './command'
import { doctor } from './commands/doctor'
import { explain } from './commands/explain'
import { gen } from './commands/gen'
import { runCommand } from './commands/run'
import { show } from './commands/show'
import { tune } from './commands/tune'
import { processIo, runLine } from './line'
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

/** Runs one command line and gives its exit code. Nothing is thrown. */
export async function cli(args: readonly string[], io: Io = processIo): Promise<number> {
  const [name = ''] = args
  if (name === '--version' || name === '-v') return say(io, `${version}\n`)
  if (name === '' || name === '--help' || name === '-h' || name === 'help') return say(io, HELP, name === '' ? 2 : 0)
  return runLine(COMMANDS, args, io)
}

function say(io: Io, text: string, exit = 0): number {
  io.out(text)
  return exit
}
