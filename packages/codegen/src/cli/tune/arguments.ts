import type { Shape, Tunable } from '../../tune/tunable'
import { choice, parse, UsageError } from '../command'
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
  return {
    ...{ spec, seconds, samples, resume: values.resume, out: values.out, dawn: values.dawn },
    shapes: values.shape.map(shapeOf),
    fixed: new Map(values.fix.map(fixOf)),
    engine: choice(values.engine, ENGINES, '--engine'),
  }
}

function positive(text: string, name: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0) return value
  throw new UsageError(`${name} is '${text}', expected a number above 0`)
}

/** `m=4096,n=4096,k=4096`. */
function shapeOf(text: string): Shape {
  const sizes = text.split(',').map((part) => {
    const [, name, digits] = /^(\w+)=(\d+)$/.exec(part.trim()) ?? []
    if (name === undefined || !Number.isSafeInteger(Number(digits)))
      throw new UsageError(`--shape is '${text}', expected sizes by name, as m=64,n=64`)
    return [name, Number(digits)] as const
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
        `--fix names '${name}', and the choices of ${titleOf(tunable)} are ${Object.keys(space).join(', ')}`,
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
