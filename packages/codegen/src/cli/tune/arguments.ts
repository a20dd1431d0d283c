import type { Shape, Tunable } from '../../tune/tunable'
import { choice, parse, UsageError } from '../command'
import { didYouMean } from '../nearest'
import { ENGINES, type EngineName } from '../run/arguments'
import { shapeText, titleOf } from './problem'

export interface TuneArguments {
  /** `FILE#EXPORT`, or `FILE` for all of its tunables. */
  readonly spec: string
  readonly shapes: readonly Shape[]
  /** Values of choices, in place of all that the tunable has. */
  readonly fixed: ReadonlyMap<string, readonly string[]>
  /** Of all shapes together; Infinity without a limit. */
  readonly seconds: number
  readonly samples: number
  readonly out: string | undefined
  readonly resume: boolean
  readonly engine: EngineName
  /** Options for Dawn. */
  readonly dawn: readonly string[]
}

export function parseTune(args: readonly string[]): TuneArguments {
  const { values, positionals } = parse(args, {
    shape: { type: 'string', multiple: true, default: [] as string[] },
    fix: { type: 'string', multiple: true, default: [] as string[] },
    seconds: { type: 'string' },
    samples: { type: 'string', default: '20' },
    out: { type: 'string' },
    resume: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'auto' },
    dawn: { type: 'string', multiple: true, default: [] as string[] },
  })
  const [spec, more] = positionals
  if (spec === undefined) throw new UsageError('which tunable? path/to/file.ts#export, or path/to/file.ts')
  if (more !== undefined) throw new UsageError(`unexpected '${more}': one tunable, or one file of tunables`)
  if (values.resume && values.out === undefined) throw new UsageError('--resume goes on with the file that --out names')
  const seconds = values.seconds === undefined ? Infinity : positive(values.seconds, '--seconds')
  const samples = positive(values.samples, '--samples')
  if (!Number.isSafeInteger(samples)) throw new UsageError(`--samples is '${values.samples}', expected a whole number`)
  const engine = choice(values.engine, ENGINES, '--engine')
  const dawn = values.dawn.map(dawnOption)
  if (engine === 'cpu' && dawn.length > 0) throw new UsageError('--dawn is for WebGPU, and --engine is cpu')
  return {
    ...{ spec, seconds, samples, resume: values.resume, out: values.out, dawn, engine },
    shapes: values.shape.map(shapeOf),
    fixed: new Map(values.fix.map(fixOf)),
  }
}

function positive(text: string, name: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0) return value
  throw new UsageError(`${name} is '${text}', expected a number above 0`)
}

/** What the npm package `webgpu` looks for. Which features Dawn has, it does not say: it leaves out what it does not know. */
const DAWN = ['backend', 'adapter', 'verbose', 'enable-dawn-features', 'disable-dawn-features']

function dawnOption(text: string): string {
  const [, key, value] = /^([^=]*)=(.*)$/.exec(text) ?? []
  if (!key || !value) throw new UsageError(`--dawn is '${text}', expected KEY=VALUE, as backend=vulkan`)
  if (!DAWN.includes(key))
    throw new UsageError(
      `--dawn is '${text}': there is no '${key}'${didYouMean(key, DAWN) || `; known are ${DAWN.join(', ')}`}`,
    )
  if (key.endsWith('-features') && !/^\w+(,\w+)*$/.test(value))
    throw new UsageError(`--dawn is '${text}', expected names of features, as ${key}=one,another`)
  return text
}

/** `m=4096,n=4096,k=4096`. */
function shapeOf(text: string): Shape {
  const sizes = text.split(',').map((part) => {
    const [, name, digits] = /^(\w+)=(.*)$/.exec(part.trim()) ?? []
    if (name === undefined || digits === undefined)
      throw new UsageError(`--shape is '${text}', expected sizes by name, as m=64,n=64`)
    const size = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
    if (!Number.isSafeInteger(size) || size === 0)
      throw new UsageError(`--shape is '${text}': ${name} is '${digits}', expected a positive integer`)
    return [name, size] as const
  })
  return Object.fromEntries(sizes)
}

/** `tileM=64,128`. */
function fixOf(text: string): readonly [string, readonly string[]] {
  const [, name, values] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (name === undefined || values === undefined)
    throw new UsageError(`--fix is '${text}', expected values of a choice, as tile=64 or tile=64,128`)
  return [name, values.split(',')]
}

/** The tunable with fewer values for some of its choices. */
export function narrowed(tunable: Tunable, fixed: TuneArguments['fixed']): Tunable {
  const space = { ...tunable.space }
  for (const [name, wanted] of fixed) {
    const all = space[name]
    if (all === undefined)
      throw new UsageError(
        `--fix names '${name}'${didYouMean(name, Object.keys(space))}, and the choices of ${titleOf(tunable)} are ${Object.keys(space).join(', ')}`,
      )
    const unknown = wanted.find((text) => !all.some((value) => String(value) === text))
    if (unknown !== undefined)
      throw new UsageError(`--fix gives ${name} the value '${unknown}', expected some of ${all.join(', ')}`)
    space[name] = all.filter((value) => wanted.includes(String(value)))
  }
  return { ...tunable, space }
}

/** The shapes to tune for: those of the command line, which must have the sizes that the tunable's own have. */
export function shapesFor(tunable: Tunable, given: readonly Shape[]): readonly Shape[] {
  if (given.length === 0) return tunable.shapes
  const [own = {}] = [...tunable.shapes, ...tunable.trials]
  const names = Object.keys(own).sort().join(', ')
  for (const shape of given) {
    if (Object.keys(shape).sort().join(', ') === names) continue
    throw new UsageError(`--shape is '${shapeText(shape)}', and the sizes of ${titleOf(tunable)} are ${names}`)
  }
  return given
}
