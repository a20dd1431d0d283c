import type { CompiledKernel } from '../../artifact'
import type { Expected } from '../../tune/tunable'
import { CommandError } from '../command'
import { getLane, SCALAR_BYTES } from '../run/values'
import { refill } from './fill'
import type { Bench } from './problem'

/** How right a kernel was: its largest error in parts of the bound, and what is wrong with it where that is above 1. */
export interface Verdict {
  readonly error: number
  readonly wrong: string | null
}

interface Window {
  readonly output: string
  readonly first: number
  readonly expected: readonly Expected[]
}

/** Outputs up to this size are looked at from end to end. */
const MOST_WHOLE = 4096
const WINDOWS = 16
const WINDOW = 64

/** What the outputs of a problem should be; computed once, for all candidates. */
export class Check {
  private constructor(
    readonly bench: Bench,
    readonly windows: readonly Window[],
  ) {}

  /** `all`: every number of the outputs, else windows of larger ones: both ends, and places that are spread over the rest. */
  static of(bench: Bench, outputs: readonly string[], places: 'all' | 'some'): Check {
    const windows = outputs.flatMap((output) => {
      const { length } = bench.content(output)
      const whole = places === 'all' || length <= MOST_WHOLE
      const firsts = whole ? each(Math.ceil(length / WINDOW), (i) => i * WINDOW) : spread(length)
      return firsts.map((first) => ({
        output,
        first,
        expected: each(Math.min(WINDOW, length - first), (i) => expectedAt(bench, output, first + i)),
      }))
    })
    return new Check(bench, windows)
  }

  /** Runs a kernel on outputs that nothing was written to, and compares what it wrote. */
  async run(kernel: CompiledKernel): Promise<Verdict> {
    const { runtime, sets } = this.bench
    const [set = {}] = sets
    for (const { name, access } of kernel.bindings) {
      const buffer = set[name]
      if (access !== 'read' && buffer) await refill(runtime, buffer, this.bench.content(name))
    }
    await runtime.run(kernel, this.bench.args(kernel, set))
    const ranges = this.windows.map(({ output, first, expected }) => {
      const bytes = SCALAR_BYTES[this.bench.content(output).type]
      const size = Math.ceil((expected.length * bytes) / 4) * 4
      return { buffer: set[output] as NonNullable<(typeof set)[string]>, offset: first * bytes, size }
    })
    const read = await runtime.readMany(ranges)
    return this.#compare(read)
  }

  #compare(read: readonly Uint8Array[]): Verdict {
    let [error, wrong]: [number, string | null] = [0, null]
    this.windows.forEach(({ output, first, expected }, at) => {
      const bytes = read[at] as Uint8Array
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const { type } = this.bench.content(output)
      expected.forEach(({ value, bound }, i) => {
        const got = getLane(view, i * SCALAR_BYTES[type], type)
        const distance = Math.abs(got - value)
        const part = got === value ? 0 : Number.isNaN(distance) ? Infinity : distance / bound
        if (part > 1) wrong ??= `${output}[${first + i}] is ${got}, expected ${value} ± ${bound.toPrecision(3)}`
        error = Math.max(error, part)
      })
    })
    return { error, wrong }
  }
}

const each = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i))

/** The first places of windows that do not reach beyond the end. */
function spread(length: number): number[] {
  const last = length - WINDOW
  // even places, since two f16 are one word
  const between = each(WINDOWS - 2, (i) => Math.floor((((i + 1) * 0.618033988749895) % 1) * last))
  return [...new Set([0, ...between, last].map((first) => first - (first % 2)))]
}

function expectedAt({ problem, inputs }: Bench, output: string, index: number): Expected {
  const expected = problem.expected(inputs, index, output)
  if (Number.isFinite(expected?.value) && expected.bound >= 0) return expected
  throw new CommandError(
    'bad-tunable',
    `what is expected at ${output}[${index}] is ${JSON.stringify(expected)}`,
    'give { value, bound }: a finite number, and how far from it a right result may be',
  )
}
