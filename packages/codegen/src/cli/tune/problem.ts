import type { DeviceBuffer, Runtime } from '@weft/runtime'
import type { CompiledKernel } from '../../artifact'
import type { Content, Numbers, Problem, Shape, Tunable } from '../../tune/tunable'
import { CommandError } from '../command'
import { FILLS } from '../run/values'
import { bytesOf, refill } from './fill'

/** `m=64 n=64`. */
export const shapeText = (shape: Shape): string =>
  Object.entries(shape)
    .map(([name, size]) => `${name}=${size}`)
    .join(' ')

export const titleOf = ({ family, type }: Pick<Tunable, 'family' | 'type'>): string => `${family} ${type}`

export type Buffers = Readonly<Record<string, DeviceBuffer<unknown>>>

/** A problem of a tunable, with buffers on the device. Sets hold the same numbers; launches take turns with them. */
export class Bench {
  private constructor(
    readonly runtime: Runtime,
    readonly problem: Problem,
    readonly sets: readonly Buffers[],
    readonly inputs: Readonly<Record<string, Numbers>>,
  ) {}

  /** `cacheBytes`: the other sets are larger than it before one has its turn again. */
  static async open(runtime: Runtime, tunable: Tunable, shape: Shape, cacheBytes: number): Promise<Bench> {
    const problem = tunable.problem(shape)
    const entries = Object.entries(problem.bindings)
    checkContents(tunable, shape, entries)
    const bytes = entries.reduce((sum, [, content]) => sum + bytesOf(content), 0)
    const count = Math.min(MOST_SETS, Math.ceil(cacheBytes / bytes) + 1)
    const sets: Buffers[] = []
    for (let i = 0; i < count; i++) {
      const set: Record<string, DeviceBuffer<unknown>> = {}
      for (const [name, content] of entries) {
        const buffer = runtime.buffer({ size: bytesOf(content) }, { label: name, zero: false })
        await refill(runtime, buffer, content)
        set[name] = buffer
      }
      sets.push(set)
    }
    const inputs = Object.fromEntries(
      entries.map(([name, { type, fill = 'zeros', seed = 1 }]) => [name, FILLS[fill]?.(seed, type) as Numbers]),
    )
    return new Bench(runtime, problem, sets, inputs)
  }

  /** What a binding holds. Throws where the author has forgotten one. */
  content(name: string): Content {
    const content = this.problem.bindings[name]
    if (content) return content
    throw new CommandError('bad-tunable', `a kernel has a binding '${name}', for which the problem has no content`)
  }

  /** The arguments of a launch on the buffers of a set: the params that this kernel has, since candidates may differ in them. */
  args(kernel: CompiledKernel, set: Buffers): Readonly<Record<string, unknown>> {
    for (const { name } of kernel.bindings) this.content(name)
    const params = Object.entries(this.problem.params ?? {}).filter(([name]) =>
      kernel.params?.fields.some((field) => field.name === name),
    )
    return Object.fromEntries([...kernel.bindings.map(({ name }) => [name, set[name]]), ...params])
  }

  close(): void {
    for (const set of this.sets) for (const buffer of Object.values(set)) buffer.destroy()
  }
}

/** More sets than this make no run colder. */
const MOST_SETS = 8

function checkContents(tunable: Tunable, shape: Shape, entries: readonly (readonly [string, Content])[]): void {
  for (const [name, { length, fill, type }] of entries) {
    const bad =
      !Number.isSafeInteger(length) || length < 0
        ? `a length of ${length}`
        : !['f32', 'f16', 'i32', 'u32'].includes(type)
          ? `the type '${type}', expected f32, f16, i32 or u32`
          : fill !== undefined && FILLS[fill] === undefined
            ? `the fill '${fill}', expected ${Object.keys(FILLS).join(', ')}`
            : null
    if (bad === null) continue
    throw new CommandError(
      'bad-tunable',
      `${titleOf(tunable)}, ${shapeText(shape)}: the content of '${name}' has ${bad}`,
    )
  }
}
