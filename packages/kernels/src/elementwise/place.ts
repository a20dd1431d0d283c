import { type Builder, d, type Expr, u32 } from '@weft/dsl'
import { MAX_RANK } from './rank'

/** Elements of arrays with strides: their params, and where they lie. */

interface Axes<T extends 'u32' | 'i32'> {
  at(axis: number): Expr<T>
}

/** The params by which a kernel finds the elements of the arrays `names`, of one common shape. */
export const stridedParams = (names: readonly string[]) => ({
  shape: d.arrayOf(d.u32, MAX_RANK),
  ...Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_offset`, d.u32],
      [`${name}_strides`, d.arrayOf(d.i32, MAX_RANK)],
    ]),
  ),
})

/** Where element `i` of the shape lies in each array: offset + Σ coordinate · stride, the last axis varying fastest. */
export function placesOf(
  k: Builder,
  view: Readonly<Record<string, unknown>>,
  names: readonly string[],
  i: Expr<'u32'>,
): Expr<'u32'>[] {
  const shape = view.shape as Axes<'u32'>
  const coordinates: Expr<'u32'>[] = []
  let rest = i
  for (let axis = MAX_RANK - 1; axis > 0; axis--) {
    coordinates[axis] = k.let(`c${axis}`, rest.rem(shape.at(axis)))
    rest = k.let(`rest${axis}`, rest.div(shape.at(axis)))
  }
  coordinates[0] = rest
  return names.map((name) => {
    const strides = view[`${name}_strides`] as Axes<'i32'>
    const steps = coordinates.map((c, axis) => c.mul(u32(strides.at(axis))))
    // negative strides wrap around, and so does the sum: it is right again modulo 2³²
    return k.let(
      `${name}_at`,
      steps.reduce((sum, step) => sum.add(step), view[`${name}_offset`] as Expr<'u32'>),
    )
  })
}
