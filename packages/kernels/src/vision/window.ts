import { type Builder, bool, type Expr, i32, u32 } from '@weft/dsl'

type U32 = Expr<'u32'>
type Pair = Expr<'vec2u'>

/** The image, and what is laid over it at every place of the result: rows in x, columns in y. */
export interface Windowed {
  readonly height: U32
  readonly width: U32
  readonly filter: Pair
  readonly stride: Pair
  readonly pad: Pair
  readonly dilation: Pair
}

/**
 * Calls `body` for each place of the image that lies in the window of row p and column q of the result: with its index in the plane,
 * and the row and the column of the window. Places in the padding are left out.
 */
export function eachInWindow(
  k: Builder,
  { height, width, filter, stride, pad, dilation }: Windowed,
  p: U32,
  q: U32,
  body: (at: U32, a: U32, b: U32) => void,
): void {
  k.range('a', 0, filter.x, (a) => {
    const row = k.let('row', i32(u32`${p} * ${stride.x} + ${a} * ${dilation.x}`).sub(i32(pad.x)))
    k.if(bool`${row} >= 0 && ${row} < i32(${height})`, () => {
      k.range('b', 0, filter.y, (b) => {
        const column = k.let('column', i32(u32`${q} * ${stride.y} + ${b} * ${dilation.y}`).sub(i32(pad.y)))
        k.if(bool`${column} >= 0 && ${column} < i32(${width})`, () => {
          body(k.let('at', u32`u32(${row}) * ${width} + u32(${column})`), a, b)
        })
      })
    })
  })
}
