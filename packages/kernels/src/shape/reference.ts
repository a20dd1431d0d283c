import { checkKeys, keysOf } from '../args'
import { reach, type Shape, sizeOf, type View } from '../elementwise/shape'
import { badArgument } from '../errors'
import { expectLength } from '../expect-length'

export interface CopyReferenceArgs {
  readonly from: View & { readonly data: ArrayLike<number> }
  /** What is not written stays as it is. */
  readonly to: View & { readonly data: ArrayLike<number> }
  /** Of the elements that are copied. */
  readonly shape: Shape
}

const COPY_KEYS = keysOf<CopyReferenceArgs>({ from: true, to: true, shape: true })
const PLACE_KEYS = keysOf<CopyReferenceArgs['from']>({ data: true, shape: true, strides: true, offset: true })

/** `to[c] = from[c]` for every place c of the shape. Gives the whole of `to`. */
export function copyReference(args: CopyReferenceArgs): Float64Array {
  checkKeys('copyReference', args, COPY_KEYS)
  const { from, to, shape } = args
  checkKeys('copyReference: from', from, PLACE_KEYS)
  checkKeys('copyReference: to', to, PLACE_KEYS)
  const result = Float64Array.from(to.data)
  const strides = [from, to].map((view) => view.strides ?? [])
  for (const [view, s] of [
    [from, strides[0]],
    [to, strides[1]],
  ] as const) {
    const range = reach(view, s!, shape)
    if (range && (range[0] < 0 || range[1] >= view.data.length)) throw badArgument('copy: the view reaches outside')
  }
  for (let i = 0; i < sizeOf(shape); i++) {
    let [source, target] = [from.offset ?? 0, to.offset ?? 0]
    let rest = i
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const c = rest % shape[axis]!
      rest = Math.floor(rest / shape[axis]!)
      source += c * strides[0]![axis]!
      target += c * strides[1]![axis]!
    }
    result[target] = from.data[source]!
  }
  return result
}

export interface IndexArgs {
  /** [outer, size, inner] */
  readonly x: ArrayLike<number>
  readonly index: ArrayLike<number>
  readonly outer: number
  readonly size: number
  readonly count: number
  readonly inner: number
}

const INDEX_KEYS = keysOf<IndexArgs>({ x: true, index: true, outer: true, size: true, count: true, inner: true })

const every = ({ outer, count, inner }: IndexArgs, of: (o: number, j: number, c: number) => number): Float64Array =>
  Float64Array.from({ length: outer * count * inner }, (_, i) =>
    of(Math.floor(i / (count * inner)), Math.floor(i / inner) % count, i % inner),
  )

/** `out[o, j, c] = x[o, index[j], c]`, 0 for an index outside of the axis. */
export function indexSelectReference(args: IndexArgs): Float64Array {
  checkKeys('indexSelectReference', args, INDEX_KEYS)
  const { x, index, outer, size, count, inner } = args
  expectLength('x', x, outer * size * inner)
  expectLength('index', index, count)
  return every(args, (o, j, c) => (index[j]! < size ? x[(o * size + index[j]!) * inner + c]! : 0))
}

/** `out[o, j, c] = x[o, index[o, j, c], c]`, 0 for an index outside of the axis. */
export function gatherReference(args: IndexArgs): Float64Array {
  checkKeys('gatherReference', args, INDEX_KEYS)
  const { x, index, outer, size, count, inner } = args
  expectLength('x', x, outer * size * inner)
  expectLength('index', index, outer * count * inner)
  return every(args, (o, j, c) => {
    const id = index[(o * count + j) * inner + c]!
    return id < size ? x[(o * size + id) * inner + c]! : 0
  })
}

/** `out[o, index[j], c] += x[o, j, c]` onto `out`, in float64; an index outside of the axis adds nothing. x: [outer, count, inner]. */
export function scatterAddReference(args: IndexArgs & { readonly out: ArrayLike<number> }): Float64Array {
  checkKeys('scatterAddReference', args, [...INDEX_KEYS, 'out'])
  const { x, index, outer, size, count, inner } = args
  expectLength('x', x, outer * count * inner)
  expectLength('index', index, count)
  expectLength('out', args.out, outer * size * inner)
  const out = Float64Array.from(args.out)
  every(args, (o, j, c) => {
    if (index[j]! < size) out[(o * size + index[j]!) * inner + c]! += x[(o * count + j) * inner + c]!
    return 0
  })
  return out
}
