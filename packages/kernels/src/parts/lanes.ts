import { type Expr, f32, fn, vec4f } from '@weft/dsl'
import type { Width } from './span'
import { quads, read, readQuad, type Storage, scalars, stored, storedQuad } from './storage'

type F32 = Expr<'f32'>

/**
 * Values of a width. TypeScript sees f32 with either, so that one kernel is written for both: sums, products and what else goes lane by
 * lane is the same text, and only what crosses lanes is asked of `sum`, `max` and `first`.
 */
export interface Lanes {
  readonly width: Width
  /** The type of a binding. */
  readonly array: ReturnType<typeof scalars>
  /** An element of a binding as a value, and a value as an element. */
  readonly read: (element: F32) => F32
  readonly stored: (value: F32) => F32
  /** The same number in all lanes. */
  readonly of: (value: number) => F32
  readonly sum: (value: F32) => F32
  readonly max: (value: F32) => F32
  readonly first: (value: F32) => F32
}

const itself = (value: F32): F32 => value
const quad = (value: F32): Expr<'vec4f'> => value as unknown as Expr<'vec4f'>
const highest = ({ x, y, z, w }: Expr<'vec4f'>): F32 => fn.max(fn.max(x, y), fn.max(z, w))

const singles = (storage: Storage): Lanes => ({
  ...{ width: 1, sum: itself, max: itself, first: itself },
  array: scalars(storage),
  read,
  stored: (value) => stored(storage, value),
  of: f32,
})

function fours(storage: Storage): Lanes {
  return {
    width: 4,
    read: (element) => readQuad(storage, element),
    stored: (value) => storedQuad(storage, value),
    array: quads(storage),
    of: (value) => vec4f(value) as unknown as F32,
    sum: (value) => fn.dot(quad(value), vec4f(1)),
    max: (value) => highest(quad(value)),
    first: (value) => quad(value).x,
  }
}

export const lanesOf = (storage: Storage, width: Width): Lanes => (width === 1 ? singles(storage) : fours(storage))
