import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/shape'
import { collapse, reach, rowMajor, type Shape, sizeOf } from '../elementwise/shape'
import {
  type BufferLike,
  bytesIn,
  checkBuffers,
  checkCall,
  checkKeys,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
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

const PLACE_KEYS = keysOf<Place>()('data strides offset')

export interface CopyArgs {
  readonly from: Place
  /** Another buffer than `from`; elements that the view does not reach keep their values. */
  readonly to: Place
  readonly shape: Shape
  readonly type?: MovedType
}

const COPY_KEYS = keysOf<CopyArgs>()('from to shape type')

/**
 * `to[c] = from[c]` for every place c of a shape, both with strides of their own.
 *
 * @throws RangeError before anything is recorded: strides that do not fit the shape, a view that leaves its buffer, more than
 *   six axes that cannot be joined
 */
export async function copy(runtime: Runtime, args: CopyArgs, options: HostOptions = {}): Promise<void> {
  checkCall('copy', args, COPY_KEYS, options)
  const { from, to, shape, type = 'f32' } = args
  checkSizes('copy', Object.fromEntries(shape.map((extent, axis) => [`shape[${axis}]`, extent])))
  const n = sizeOf(shape)
  if (n > 2 ** 32 - 256) throw new RangeError(`copy: ${n} elements are more than one dispatch can address`)
  const strides = [from, to].map((place) => place.strides ?? rowMajor(shape))
  const names = ['from', 'to'] as const
  ;[from, to].forEach((place, i) => {
    checkKeys(`copy: ${names[i]}`, place, PLACE_KEYS)
    const own = strides[i] as readonly number[]
    if (own.length !== shape.length)
      throw new RangeError(`copy: ${names[i]} has ${own.length} strides for ${shape.length} axes`)
    const range = reach({ shape, offset: place.offset }, own, shape)
    if (range === null) return
    if (range[0] < 0) throw new RangeError(`copy: ${names[i]} reaches element ${range[0]}, before its buffer`)
    checkBuffers('copy', { [names[i] as string]: [place.data, range[1] + 1, bytesIn(type)] })
  })
  if (n === 0) return
  const walk = collapse('copy', shape, strides)
  await runtime.run(chosen(COPY[type], options), {
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
