import type { Expr, VarRef } from '@weft/dsl'
import type { U32 } from './numbers'

/** An operand of a product, and the tile of it in workgroup memory, see slab.ts. */
export interface SlabOptions {
  readonly name: string
  readonly component: 'f16' | 'i8'
  readonly role: 'left' | 'right'
  readonly lines: number
  /** Lines of a slab. */
  readonly part: number
  readonly depth: number
  /** Into how many slices along k a tile is cut, each for subgroups of its own. */
  readonly slices: number
  readonly threads: number
  /** Whether neighbours in memory are neighbours along k. */
  readonly alongK: boolean
  /** In words of 16 bytes. */
  readonly source: { at(i: U32): Expr<'vec4u'> }
  /** Its first element, and elements from a row to the next, as they lie in memory: multiples of a word. */
  readonly first: U32
  readonly stride: U32
  /** The first line of the tile, and how many lines there are. */
  readonly line: U32
  readonly count: U32
  /** Where k ends: a multiple of a word where `alongK`. */
  readonly end: U32
}

/** Components of a word. */
export const inWord = (component: SlabOptions['component']): number => (component === 'i8' ? 16 : 8)

/** A word of a tile: which slab it is in, by the part of the lines and the slice of k, and where there. */
export type WordAt = (part: U32, slice: U32, word: U32) => VarRef<'vec4u'>
