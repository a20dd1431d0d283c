import type { BufferLike, Runtime } from './host'
import { fromHalf, toHalf } from './parts/half'
import type { Trial } from './verdicts'

/** Small problems for host functions: what `verify: true` lets a kernel compute before it is trusted. */

export type ProblemType = 'f32' | 'f16' | 'u32' | 'i32'

export interface Input {
  readonly values: ArrayLike<number>
  /** f32 when left out. */
  readonly type?: ProblemType
}

export interface Result {
  readonly expected: ArrayLike<number>
  /** How far an element may be off in f32; what f16 rounds is added. */
  readonly bound: (index: number) => number
  readonly type?: ProblemType
  /** What is there before; otherwise what nobody would take for a result. */
  readonly start?: ArrayLike<number>
}

export interface Problem<Args> {
  readonly inputs: Readonly<Record<string, Input>>
  readonly results: Readonly<Record<string, Result>>
  /** The arguments of the host function, of the buffers of inputs and results. */
  readonly args: (buffers: Readonly<Record<string, BufferLike>>) => Args
}

const STORED: Readonly<Record<ProblemType, (values: ArrayLike<number>) => ArrayBufferView>> = {
  f32: (values) => Float32Array.from(values),
  // whole words
  f16: (values) => Uint16Array.from({ length: values.length + (values.length % 2) }, (_, i) => toHalf(values[i] ?? 0)),
  u32: (values) => Uint32Array.from(values),
  i32: (values) => Int32Array.from(values),
}
/** NaN, or an integer that no result is. */
const UNSET: Readonly<Record<ProblemType, number>> = {
  f32: Number.NaN,
  f16: Number.NaN,
  u32: 0xdead_beef,
  i32: -777_777,
}

/** Half a step of 11 bits, and of the least subnormal number. */
const HALF = { rel: 2 ** -11, abs: 2 ** -25 } as const

/** Lets a host function compute a problem, and lays what it wrote beside what is expected: all results, one after the other. */
export async function solve<Args>(
  runtime: Runtime,
  { inputs, results, args }: Problem<Args>,
  run: (args: Args) => Promise<unknown>,
): Promise<Trial> {
  const made: Disposable[] = []
  using _ = {
    [Symbol.dispose]: () => {
      for (const buffer of made) buffer[Symbol.dispose]()
    },
  }
  const upload = (values: ArrayLike<number>, type: ProblemType = 'f32') => {
    const buffer = runtime.buffer(STORED[type](values))
    made.push(buffer)
    return buffer
  }
  const given = Object.entries(inputs).map(([name, { values, type }]) => [name, upload(values, type)] as const)
  const written = Object.entries(results).map(([name, result]) => {
    const { expected, type = 'f32', start } = result
    const before = start ?? new Array<number>(expected.length).fill(UNSET[type])
    return [name, upload(before, type), { ...result, type }] as const
  })
  await run(args(Object.fromEntries([...given, ...written].map(([name, buffer]) => [name, buffer]))))
  const [got, expected, bounds]: [number[], number[], number[]] = [[], [], []]
  for (const [, buffer, { type, expected: wanted, bound }] of written) {
    const read = (await buffer.read()) as Float32Array | Uint16Array | Uint32Array | Int32Array
    for (let i = 0; i < wanted.length; i++) {
      const [is, want, off] = [read[i] as number, wanted[i] as number, bound(i)]
      got.push(type === 'f16' ? fromHalf(is) : is)
      expected.push(want)
      bounds.push(type === 'f16' ? off + HALF.rel * (Math.abs(want) + off) + HALF.abs : off)
    }
  }
  return { got, expected, bound: (i) => bounds[i] as number }
}

/** Step of f32, cut off instead of rounded, as matrix units do: twice the unit roundoff. */
export const STEP = 2 ** -23

/** The relative error of a sum of n terms by 64 invocations or more, in any order (Higham, 2002, §3.1). */
export const sumError = (n: number): number => (n / 64 + 64) * STEP

/** The largest size among numbers. */
export const sizeOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 0)

/** Numbers that are reproducible: uniform in [-1, 1), in steps that f16 holds exactly. */
export function trialValues(seed: number, n: number): Float32Array<ArrayBuffer> {
  let state = (seed * 0x9e3779b9) >>> 0
  return Float32Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 21) / 1024 - 1
  })
}
