import { d, type Expr, fn, u32, vec4f } from '@weft/dsl'
import type { Storage } from './storage'

/**
 * Eight neighbours of a row as two quads: what an invocation reads at a time where rows begin at multiples of 16 bytes, in loads of 16 bytes.
 * Arithmetic is f32 with either storage.
 */
export type Eight = readonly [Expr<'vec4f'>, Expr<'vec4f'>]

type U32 = Expr<'u32'>
type Quad = Expr<'vec4f'>

/** A binding that is read by eights: two vec4f each, or one vec4u with two f16 to a word. */
export interface Eights {
  at(i: U32): Quad
}

/** The type of such a binding, read by 16 bytes. TypeScript sees vec4f with either, as with `scalars`. */
export const eights = (storage: Storage) => d.arrayOf((storage === 'f16' ? d.vec4u : d.vec4f) as typeof d.vec4f)

export { perLoad } from './loads'

/** What is read for an eight at a place, counted in eights, of a row that begins at load `start`. Keep it by name, and unpack it later. */
export const loadEight = (storage: Storage, source: Eights, start: U32, place: U32): readonly Quad[] =>
  storage === 'f16'
    ? [source.at(start.add(place))]
    : [source.at(u32`${start} + 2 * ${place}`), source.at(u32`${start} + 2 * ${place} + 1`)]

/** The quads of one load. */
export function unpackLoad(storage: Storage, load: Quad): readonly Quad[] {
  if (storage === 'f32') return [load]
  const words = load as unknown as Expr<'vec4u'>
  const two = (word: U32) => fn.unpack2x16float(word)
  return [vec4f(two(words.x), two(words.y)), vec4f(two(words.z), two(words.w))]
}

/** The eight values of what was read. */
export const unpackEight = (storage: Storage, loads: readonly Quad[]): Eight =>
  loads.flatMap((load) => unpackLoad(storage, load)) as unknown as Eight
