import { badArgument } from '../errors'
import { MAX_RANK } from './rank'

/** Shapes and strides on the host: which elements of an input belong to each element of the output. */

export type Shape = readonly number[]

/** An input by its place in a buffer: element (c₀, c₁, …) lies at `offset + Σ cₐ · strides[a]`. Counted in elements. */
export interface View {
  readonly shape: Shape
  /** Row-major, without gaps, when left out. 0 repeats, negative goes backwards. */
  readonly strides?: readonly number[] | undefined
  readonly offset?: number | undefined
}

export const sizeOf = (shape: Shape): number => shape.reduce((n, extent) => n * extent, 1)

/** Strides of a row-major array without gaps. */
export function rowMajor(shape: Shape): number[] {
  const strides = new Array<number>(shape.length)
  let step = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step
    step *= shape[axis] as number
  }
  return strides
}

/**
 * The shape to which all of `shapes` broadcast, by the rules of NumPy: aligned at the last axis; an extent of 1, or a
 * missing axis, is repeated.
 *
 * @throws RangeError that names the axis where two shapes do not fit
 */
export function broadcastShape(what: string, shapes: readonly Shape[]): number[] {
  const rank = Math.max(0, ...shapes.map(({ length }) => length))
  return Array.from({ length: rank }, (_, axis) => {
    let extent = 1
    for (const shape of shapes) {
      const own = shape[axis - rank + shape.length] ?? 1
      if (own === 1 || own === extent) continue
      if (extent !== 1) {
        throw badArgument(
          `${what}: shapes ${shapes.map((s) => `[${s.join(', ')}]`).join(' and ')} do not fit: axis ${axis} has ${extent} and ${own}`,
        )
      }
      extent = own
    }
    return extent
  })
}

/** The strides of a view seen as an array of shape `out`: 0 along what is repeated. */
export function broadcastStrides(what: string, view: View, out: Shape): number[] {
  const strides = view.strides ?? rowMajor(view.shape)
  if (strides.length !== view.shape.length)
    throw badArgument(`${what}: ${view.shape.length} extents have ${strides.length} strides`)
  const lead = out.length - view.shape.length
  return out.map((extent, axis) => {
    const own = axis < lead ? 1 : (view.shape[axis - lead] as number)
    if (own === extent && axis >= lead) return strides[axis - lead] as number
    if (own === 1) return 0
    throw badArgument(`${what}: an extent of ${own} at axis ${axis} cannot become ${extent}`)
  })
}

/** The least and the greatest element that a view touches. Nothing when it is empty. */
export function reach(
  { offset = 0 }: View,
  strides: readonly number[],
  shape: Shape,
): readonly [number, number] | null {
  if (sizeOf(shape) === 0) return null
  let [low, high] = [offset, offset]
  shape.forEach((extent, axis) => {
    const far = (extent - 1) * (strides[axis] as number)
    if (far < 0) low += far
    else high += far
  })
  return [low, high]
}

/**
 * The same walk over fewer axes: neighbours along which every input advances as over one axis become one. `strides` are
 * those of each input. What is left is padded with axes of extent 1 in front to {@link MAX_RANK}.
 *
 * @throws RangeError when more than MAX_RANK axes are left
 */
export function collapse(
  what: string,
  shape: Shape,
  strides: readonly (readonly number[])[],
): { readonly shape: number[]; readonly strides: number[][] } {
  const axes: { extent: number; steps: number[] }[] = []
  shape.forEach((extent, axis) => {
    if (extent === 1) return
    const steps = strides.map((s) => s[axis] as number)
    const before = axes.at(-1)
    if (before?.steps.every((step, i) => step === (steps[i] as number) * extent)) {
      before.extent *= extent
      before.steps = steps
    } else axes.push({ extent, steps })
  })
  if (axes.length > MAX_RANK)
    throw badArgument(`${what}: ${axes.length} axes that cannot be joined, more than ${MAX_RANK}; copy an input first`)
  const lead = MAX_RANK - axes.length
  return {
    shape: [...new Array<number>(lead).fill(1), ...axes.map(({ extent }) => extent)],
    strides: strides.map((_, i) => [
      ...new Array<number>(lead).fill(0),
      ...axes.map(({ steps }) => steps[i] as number),
    ]),
  }
}
