import { PROFILES, type ProfileName } from '../../profiles'
import { explain as explainKernel } from '../../tools'
import { type Command, choice, type Io, parse, type Report } from '../command'
import { kernelAt } from '../load/discover'

const HELP = `weft explain KERNEL [--profile PROFILE] [--json]

Says in words what each variant of a kernel needs and why, what was lowered for the profile, and where its bindings,
enables and guards come from.

  KERNEL              path/to/file.ts#export, or path/to/file.ts when it exports one kernel
  --profile PROFILE   ${Object.keys(PROFILES).join(', ')} (default: any)
  --json              { ok, kernel, profile, text }
`

async function run(args: readonly string[], io: Io): Promise<Report> {
  const { values, positionals } = parse(args, { profile: { type: 'string', default: 'any' } })
  const profile = choice(values.profile, Object.keys(PROFILES) as ProfileName[], '--profile')
  const { source } = await kernelAt(positionals[0], io)
  const text = explainKernel(source, { profile })
  return { ok: true, text, data: { ok: true, kernel: source.name, profile, text } }
}

export const explain: Command = { name: 'explain', summary: 'what a kernel needs, and why', help: HELP, run }
