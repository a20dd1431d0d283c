import type { CompiledKernel } from '../../artifact'
import { choice, type Options, parse, UsageError } from '../command'
import { didYouMean } from '../nearest'

export const ENGINES = ['auto', 'webgpu', 'cpu'] as const
export type EngineName = (typeof ENGINES)[number]

/** What `weft run` takes whatever the kernel. */
const OWN = {
  engine: { type: 'string', default: 'auto' },
  check: { type: 'boolean', default: false },
  tolerance: { type: 'string' },
  reference: { type: 'string' },
  variant: { type: 'string' },
  workgroups: { type: 'string' },
  override: { type: 'string', multiple: true, default: [] as string[] },
  arg: { type: 'string', multiple: true, default: [] as string[] },
} as const satisfies Options

export interface RunArguments {
  readonly engine: EngineName
  /** Compare WebGPU with the interpreter. */
  readonly check: boolean
  readonly tolerance: number | null
  /** `FILE#EXPORT`, in place of the module's `references`. */
  readonly reference: string | undefined
  readonly variant: string | undefined
  readonly workgroups: readonly number[] | undefined
  readonly overrides: Readonly<Record<string, number | boolean>>
  readonly params: Readonly<Record<string, unknown>>
  /** What each binding holds, as `random:1000`. */
  readonly bindings: Readonly<Record<string, string>>
}

/** The arguments after the kernel: its params and bindings are options by name. */
export function parseRun(args: readonly string[], kernel: CompiledKernel): RunArguments {
  const named = [...kernel.bindings, ...(kernel.params?.fields ?? [])].map(({ name }) => name)
  // a name that an option of weft has is given by --arg NAME=VALUE
  const options: Options = Object.fromEntries(
    named.filter((name) => !(name in OWN) && name !== 'json').map((name) => [name, { type: 'string' as const }]),
  )
  const has = `; '${kernel.name}' has ${named.map((name) => `--${name}`).join(', ')}`
  const { values: all, positionals } = parse(args, { ...options, ...OWN }, has)
  if (positionals.length > 0)
    throw new UsageError(`unexpected '${positionals[0]}': params and bindings go by name, as --${named[0] ?? 'n'} …`)
  const values = all as Values
  const given = new Map<string, string>(pairs(values.arg, '--arg'))
  for (const name of named) if (typeof values[name] === 'string' && name in options) given.set(name, values[name])
  const unknown = [...given.keys()].find((name) => !named.includes(name))
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, named)
    throw new UsageError(`'${kernel.name}' has no param or binding '${unknown}'${meant}; it has ${named.join(', ')}`)
  }
  return { ...ownArguments(values), ...kernelArguments(kernel, given) }
}

type Values = Readonly<Record<string, unknown>>

function ownArguments(values: Values): Omit<RunArguments, 'params' | 'bindings'> {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const counts = text('workgroups')?.split(',')
  const tolerance = text('tolerance')
  return {
    engine: choice(text('engine') ?? 'auto', ENGINES, '--engine'),
    check: values.check === true,
    tolerance: tolerance === undefined ? null : finite(tolerance, '--tolerance'),
    reference: text('reference'),
    variant: text('variant'),
    workgroups: counts?.map((n) => finite(n, '--workgroups')),
    overrides: Object.fromEntries(pairs(values.override, '--override').map(([name, v]) => [name, scalar(v, name)])),
  }
}

function kernelArguments(
  kernel: CompiledKernel,
  given: ReadonlyMap<string, string>,
): Pick<RunArguments, 'params' | 'bindings'> {
  const want = (name: string, example: string): string => {
    const value = given.get(name)
    if (value === undefined) throw new UsageError(`--${name} is missing, as --${name} ${example}`)
    return value
  }
  const params = (kernel.params?.fields ?? []).map(({ name, type }) => [
    name,
    paramValue(want(name, EXAMPLES[type] ?? '1,2,3'), name),
  ])
  const bindings = kernel.bindings.map(({ name, access }) => [
    name,
    want(name, access === 'read' ? 'random:1000' : 'zeros:1000'),
  ])
  return { params: Object.fromEntries(params), bindings: Object.fromEntries(bindings) }
}

const EXAMPLES: Readonly<Record<string, string>> = { f32: '0.5', f16: '0.5', i32: '-1', u32: '1000', bool: 'true' }

function pairs(list: unknown, option: string): [string, string][] {
  return (list as readonly string[]).map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option} is '${text}', expected NAME=VALUE`)
    return [text.slice(0, at), text.slice(at + 1)]
  })
}

function finite(text: string, name: string): number {
  const value = Number(text)
  if (text.trim() !== '' && !Number.isNaN(value)) return value
  throw new UsageError(`${name} is '${text}', expected a number`)
}

const scalar = (text: string, name: string): number | boolean =>
  text === 'true' || text === 'false' ? text === 'true' : finite(text, name)

/** Vectors and arrays are lists: `1,2,3`. */
const paramValue = (text: string, name: string): unknown =>
  text.includes(',') ? text.split(',').map((part) => scalar(part, name)) : scalar(text, name)
