import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/shape'
import { anyType, argsOf, input, integer, listOf, maybe, object, size, updated } from '../args'
import { collapse, reach, rowMajor, type Shape, sizeOf } from '../elementwise/shape'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'

/** What elements are: 4-byte values all move as i32 does. */
export type MovedType = 'f32' | 'f16' | 'i32' | 'u32' | 'bool'

const COPY: Readonly<Record<MovedType, CompiledKernel>> = {
  f32: g.copy,
  f16: g.copy_f16,
  i32: g.copy_i32,
  u32: g.copy_i32,
  bool: g.copy_i32,
}

/** Where the elements of a shape lie in a buffer, counted in elements. */
export interface Place {
  readonly data: BufferLike
  /** One for each axis of the shape; row-major without gaps when left out. */
  readonly strides?: readonly number[]
  readonly offset?: number
}

const placeOf = (data: typeof input) => argsOf<Place>({ data, strides: maybe(listOf(integer)), offset: maybe(size) })

export interface CopyArgs {
  readonly from: Place
  /** Another buffer than `from`; elements that the view does not reach keep their values. */
  readonly to: Place
  readonly shape: Shape
  readonly type?: MovedType
}

const COPY_ARGS = argsOf<CopyArgs>({
  from: object(placeOf(input)),
  to: object(placeOf(updated)),
  shape: listOf(size),
  type: anyType,
})

/**
 * `to[c] = from[c]` for every place c of a shape, both with strides of their own.
 *
 * @throws RangeError before anything is recorded: strides that do not fit the shape, a view that leaves its buffer, more than
 *   six axes that cannot be joined
 */
export async function copy(runtime: Runtime, args: CopyArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'copy', args, COPY_ARGS, options)
  await copying(runtime, 'copy', ['from', 'to'], args, options)()
}

/** A copy for a function that says it in its own words: checks it, and gives what runs it. */
export function copying(
  runtime: Runtime,
  what: string,
  names: readonly [from: string, to: string],
  { from, to, shape, type = 'f32' }: CopyArgs,
  options: HostOptions,
): () => Promise<void> {
  const n = sizeOf(shape)
  if (n > 2 ** 32 - 256) throw badArgument(`${what}: ${n} elements are more than one dispatch can address`)
  const strides = [from, to].map((place) => place.strides ?? rowMajor(shape))
  ;[from, to].forEach((place, i) => {
    const own = strides[i] as readonly number[]
    if (own.length !== shape.length)
      throw badArgument(`${what}: ${names[i]} has ${own.length} strides for ${shape.length} axes`)
    const range = reach({ shape, offset: place.offset }, own, shape)
    if (range === null) return
    if (range[0] < 0) throw badArgument(`${what}: ${names[i]} reaches element ${range[0]}, before its buffer`)
    checkBuffers(what, { [names[i] as string]: [place.data, range[1] + 1, bytesIn(type)] })
  })
  if (n === 0) return async () => {}
  const walk = collapse(what, shape, strides)
  return () =>
    runtime.run(chosen(COPY[type], options), {
      from: from.data,
      to: to.data,
      n,
      shape: walk.shape,
      from_offset: from.offset ?? 0,
      from_strides: walk.strides[0],
      to_offset: to.offset ?? 0,
      to_strides: walk.strides[1],
    })
}
