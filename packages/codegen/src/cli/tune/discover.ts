import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Tunable } from '../../tune/tunable'
import { CommandError, type Io, UsageError } from '../command'
import { shortPath } from '../load/bundle'
import { load } from '../load/discover'

interface Found {
  readonly exportName: string
  readonly tunable: Tunable
}

const isTunable = (value: unknown): value is Tunable =>
  typeof value === 'object' && value !== null && (value as Partial<Tunable>).kind === 'tunable'

/** Exports that are tunables, and those in exported lists. */
const tunablesIn = (module: Readonly<Record<string, unknown>>): Found[] =>
  Object.entries(module).flatMap(([exportName, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isTunable).map((tunable) => ({ exportName, tunable })),
  )

/** `TUNABLE` of a command line: `path/to/file.ts#export`, or all that a file exports. */
export async function tunablesAt(spec: string, io: Io): Promise<readonly Tunable[]> {
  const [path = '', wanted] = spec.split('#')
  const found = tunablesIn(io.modules?.[path] ?? (await moduleAt(path, io)))
  const chosen = wanted === undefined ? found : found.filter(({ exportName }) => exportName === wanted)
  // a list may hold what is exported on its own as well
  const tunables = [...new Set(chosen.map(({ tunable }) => tunable))]
  for (const tunable of tunables) checkForm(tunable)
  if (tunables.length > 0) return tunables
  const listed = [...new Set(found.map(({ exportName }) => `${path}#${exportName}`))].join(', ') || 'none'
  throw new CommandError(
    'no-tunable',
    `${path} exports no tunable${wanted === undefined ? '' : ` '${wanted}'`}`,
    `its tunables: ${listed}`,
  )
}

async function moduleAt(path: string, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(io.cwd, path)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`there is no file '${shortPath(io.cwd, file)}'`)
  const [module = {}] = await load([file], io.plugins)
  return module
}

const FIELDS = {
  family: 'string',
  type: 'string',
  space: 'object',
  incumbent: 'function',
  kernel: 'function',
  problem: 'function',
} as const

/** Says what is wrong with a tunable before anything is opened; TypeScript says so to who declares its type. */
function checkForm(tunable: Tunable): void {
  const name = typeof tunable.family === 'string' ? tunable.family : 'a tunable'
  const bad = (what: string): CommandError =>
    new CommandError('bad-tunable', `${name}: ${what}`, 'Tunable of @weft/codegen/tools says what it has')
  for (const [field, type] of Object.entries(FIELDS) as [keyof Tunable, string][]) {
    if (typeof tunable[field] !== type) throw bad(`'${field}' is ${String(tunable[field])}, expected a ${type}`)
  }
  for (const field of ['shapes', 'trials'] as const)
    if (!Array.isArray(tunable[field])) throw bad(`'${field}' is ${String(tunable[field])}, expected a list of shapes`)
  const empty = Object.entries(tunable.space).find(([, values]) => !Array.isArray(values) || values.length === 0)
  if (empty) throw bad(`the choice '${empty[0]}' has no values`)
}
