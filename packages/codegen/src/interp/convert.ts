import { convertLane, f32Bits, f32FromBits, type ScalarName, scalarBytes, scalarOf, type ValueName } from '@weft/dsl/ir'
import type { Frame } from './frame'
import { HALVES, halfBits } from './half'
import { rounded } from './ops'

/** Conversions and bitcasts as JavaScript. */

const toInt = { i32: (x: number) => convertLane('i32', 'f32', x), u32: (x: number) => convertLane('u32', 'f32', x) }

/** One lane converted. Floats saturate to the greatest float that the integer type holds; NaN gives 0. */
export function converted(frame: Frame, to: ScalarName, from: ScalarName, code: string): string {
  if (to === from) return code
  if (from === 'bool') return `(${code} ? 1 : 0)`
  if (to === 'bool') return `(${code} !== 0)`
  if ((to === 'i32' || to === 'u32') && (from === 'f32' || from === 'f16')) return saturated(frame, to, code)
  return from === 'f16' && to === 'f32' ? code : rounded(frame, to, code)
}

function saturated(frame: Frame, to: 'i32' | 'u32', code: string): string {
  const x = frame.atom(code)
  // What lies within the range of i32 is cut by `| 0`; the rest is rare.
  const slow = `${frame.program.helper(`to_${to}`, toInt[to])}(${x})`
  return to === 'i32'
    ? `(${x} > -2147483648 && ${x} < 2147483520 ? ${x} | 0 : ${slow})`
    : `(${x} >= 0 && ${x} < 2147483520 ? ${x} | 0 : ${slow})`
}

/** The lanes of the same bits as another type; the first lane of an f16 vector is the low half of a word. */
export function bitcasted(frame: Frame, to: ValueName, from: ValueName, lanes: readonly string[]): readonly string[] {
  const a = scalarOf(from)
  const b = scalarOf(to)
  if (a === b) return lanes
  if (scalarBytes(a) === scalarBytes(b)) return lanes.map((x) => fromWord(frame, b, toWord(frame, a, x)))
  if (a === 'f16') {
    const bits = lanes.map((x) => `${frame.program.helper('halfBits', halfBits)}(${x})`)
    return Array.from({ length: lanes.length / 2 }, (_, i) =>
      fromWord(frame, b, `(${bits[2 * i]} | ${bits[2 * i + 1]} << 16)`),
    )
  }
  return lanes.flatMap((x) => {
    const word = frame.atom(toWord(frame, a, x))
    const table = frame.program.helper('HALVES', HALVES)
    return [`${table}[${word} & 65535]`, `${table}[${word} >>> 16]`]
  })
}

const toWord = (frame: Frame, scalar: ScalarName, x: string): string =>
  scalar === 'f32' ? `${frame.program.helper('f32Bits', f32Bits)}(${x})` : x

function fromWord(frame: Frame, scalar: ScalarName, word: string): string {
  switch (scalar) {
    case 'f32':
      return `${frame.program.helper('f32FromBits', f32FromBits)}(${word})`
    case 'f16':
      return `${frame.program.helper('HALVES', HALVES)}[${word}]`
    default:
      return scalar === 'i32' ? `(${word} | 0)` : `(${word} >>> 0)`
  }
}
