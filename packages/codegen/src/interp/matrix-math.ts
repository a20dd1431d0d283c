import type { SubgroupMatrixType } from '@weft/dsl/ir'
import { HALVES, halfBits, roundHalf } from './half'

/** Arithmetic of subgroup matrices. Matrices are columns in a Float64Array, which holds every component exactly. */

type Component = SubgroupMatrixType['of']
type View = Float32Array | Int32Array | Uint32Array | Uint16Array | Int8Array | Uint8Array

const ROUND: { readonly [C in Component]: (x: number) => number } = {
  bool: (x) => (x ? 1 : 0),
  f16: roundHalf,
  f32: Math.fround,
  i32: (x) => x | 0,
  u32: (x) => x >>> 0,
  i8: (x) => (x << 24) >> 24,
  u8: (x) => x & 255,
}

export function copy(to: Float64Array, at: number, from: Float64Array, start: number, length: number): void {
  for (let i = 0; i < length; i++) to[at + i] = from[start + i] as number
}

/** out += left · right, where left is rows × inner and right inner × cols; rounded after every step. */
export const multiply = (of: Component) => {
  const round = ROUND[of]
  const isInt = of !== 'f16' && of !== 'f32'
  return (
    out: Float64Array,
    o: number,
    left: Float64Array,
    l: number,
    right: Float64Array,
    r: number,
    rows: number,
    cols: number,
    inner: number,
  ): void => {
    for (let c = 0; c < cols; c++) {
      for (let row = 0; row < rows; row++) {
        let sum = out[o + c * rows + row] as number
        for (let k = 0; k < inner; k++) {
          const a = left[l + k * rows + row] as number
          const b = right[r + c * inner + k] as number
          sum = round(sum + (isInt ? Math.imul(a, b) : a * b))
        }
        out[o + c * rows + row] = sum
      }
    }
  }
}

const SCALAR: Readonly<Record<string, (x: number, y: number) => number>> = {
  subgroupMatrixScalarAdd: (x, y) => x + y,
  subgroupMatrixScalarSubtract: (x, y) => x - y,
  subgroupMatrixScalarMultiply: (x, y) => x * y,
}

export const scalar = (op: string, of: Component) => {
  const round = ROUND[of]
  const isInt = of !== 'f16' && of !== 'f32'
  const apply =
    op === 'subgroupMatrixScalarMultiply' && isInt ? Math.imul : (SCALAR[op] as (x: number, y: number) => number)
  return (out: Float64Array, o: number, from: Float64Array, f: number, length: number, y: number): void => {
    for (let i = 0; i < length; i++) out[o + i] = round(apply(from[f + i] as number, y))
  }
}

/** `row` and `col` are the distances, in elements, between rows and between columns. */
export const load =
  (of: Component) =>
  (
    to: Float64Array,
    at: number,
    rows: number,
    cols: number,
    view: View,
    start: number,
    limit: number,
    row: number,
    col: number,
  ): void => {
    for (let c = 0; c < cols; c++) {
      for (let r = 0; r < rows; r++) {
        const i = start + r * row + c * col
        const x = i < limit && i < view.length ? (view[i] as number) : 0
        to[at + c * rows + r] = of === 'f16' ? (HALVES[x] as number) : x
      }
    }
  }

export const store =
  (of: Component) =>
  (
    from: Float64Array,
    at: number,
    rows: number,
    cols: number,
    view: View,
    start: number,
    limit: number,
    row: number,
    col: number,
  ): void => {
    for (let c = 0; c < cols; c++) {
      for (let r = 0; r < rows; r++) {
        const i = start + r * row + c * col
        const x = from[at + c * rows + r] as number
        if (i < limit && i < view.length) view[i] = of === 'f16' ? halfBits(x) : x
      }
    }
  }
