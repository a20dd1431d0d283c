/** The shortest way to write a case: one invocation that puts down words one after another. */
import {
  type AnyExpr,
  type ArrayValue,
  type Builder,
  bitcast,
  d,
  type Expr,
  f32,
  i32,
  input,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { partly, u32of } from '../data.js'

export interface Told {
  readonly k: Builder
  /** The next word of the output: a u32, or the bits of an i32, f32 or bool. */
  put(...values: readonly AnyExpr[]): void
  /** x[i] = i for i < 16: values that no compiler knows. */
  readonly x: ArrayValue<'u32'>
  /** `i` as a value that no compiler knows. */
  n(i: number): Expr<'u32'>
  i(i: number): Expr<'i32'>
  f(i: number): Expr<'f32'>
}

const word = (value: AnyExpr): Expr<'u32'> => (value.type === 'f32' ? bitcast(u32, value) : u32(value))

const bits = new DataView(new ArrayBuffer(4))
/** The word of a float, for the expected list. */
export const floatWord = (x: number): number => {
  bits.setFloat32(0, x)
  return bits.getUint32(0)
}

const float = (x: number): readonly number[] => [floatWord(x)]

/** Expected words: numbers are u32 or i32, `{ f }` floats. */
export type Word = number | boolean | { readonly f: number }
const wordOf = (w: Word): number => (typeof w === 'object' ? (float(w.f)[0] as number) : Number(w) >>> 0)

export function story(
  name: string,
  expected: readonly Word[],
  tell: (told: Told) => void,
  more: Pick<ParityCase, 'tolerance' | 'not'> = {},
): ParityCase {
  const source = kernel(
    name.replace(/\W+/g, '_'),
    {
      workgroupSize: [1],
      bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32), { writes: 'partial' }) },
      workgroups: () => [1],
      guards: 'off',
    },
    ({ x, out }, k) => {
      let at = 0
      const n = (i: number): Expr<'u32'> => x.at(i)
      tell({
        k,
        x,
        n,
        i: (i) => i32(n(i)),
        f: (i) => f32(n(i)),
        put: (...values) => values.forEach((v) => void out.at(at++).set(word(v))),
      })
    },
  )
  const words = Uint32Array.from(expected, wordOf)
  return {
    name,
    kernel: source,
    bindings: { x: u32of(16, (i) => i), out: partly(words.length + 2, new Uint32Array()) },
    expect: { out: partly(words.length + 2, words) },
    ...more,
  }
}

/** The same for many invocations: each gets its index and gives one word. */
export function chorus(
  name: string,
  n: number,
  expected: (i: number) => number,
  sing: (i: Expr<'u32'>, k: Builder, x: ArrayValue<'u32'>) => AnyExpr,
  workgroupSize = 8,
): ParityCase {
  const source = kernel(
    name.replace(/\W+/g, '_'),
    {
      workgroupSize: [workgroupSize],
      bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
      params: { count: d.u32 },
      workgroups: ({ count }) => [count.ceilDiv(workgroupSize)],
    },
    ({ x, out, count }, k) => {
      const i = k.let('i', k.globalIndex)
      const value = k.let('value', word(sing(i, k, x)))
      k.if(i.lt(count), () => out.at(i).set(value))
    },
  )
  const words = u32of(n, (i) => expected(i) >>> 0)
  return {
    name,
    kernel: source,
    params: { count: n },
    bindings: { x: u32of(16, (i) => i), out: partly(n + 3, new Uint32Array()) },
    expect: { out: partly(n + 3, words) },
  }
}
