import { type Builder, d, f16, subgroupMatrix, u32 } from '@weft/dsl'
import { acrossK, alongK, type Moves } from './moves'
import type { U32 } from './numbers'
import { inWord, type SlabOptions, type WordAt } from './operand'

/**
 * An operand of a product on its way to the matrices of subgroups: a tile of `lines` rows of a (or columns of b) and `depth` values of k in
 * workgroup memory, cut into slabs, one for each row (or column) of subgroups in each slice of k. A slab lies as the operand lies in memory, in
 * rows of 16-byte words; a row has one word more than it needs, so that a matrix, which is read 8 rows at a time, finds them in different
 * banks.
 *
 * What Tint proves decides the speed: a load of a matrix whose array, offset and stride are constants is used as it is; any other one gets
 * two selections, and a stride that the driver does not know. So the slab is an index of the array, and all else is constant.
 */

/** Rows and columns of a matrix, and how deep it is. */
export const SIDE = 16
export const depthOf = (component: SlabOptions['component']): number => (component === 'i8' ? 32 : 16)

type Shape = Pick<SlabOptions, 'component' | 'alongK' | 'lines' | 'part' | 'depth' | 'slices'>

/** Words from a row of a slab to the next, words of a slab, and how many slabs there are. */
export function layoutOf(o: Shape): { readonly pitch: number; readonly words: number; readonly slabs: number } {
  const { component, alongK, lines, part, slices } = o
  const depth = o.depth / slices
  const row = (alongK ? depth : part) / inWord(component)
  // what is stored at a time may belong to two slabs: the next one begins in other banks
  const isCut = row < 8 && (alongK ? slices > 1 : lines > part)
  return {
    pitch: row + 1,
    words: (alongK ? part : depth) * (row + 1) + (isCut ? row : 0),
    slabs: (lines / part) * slices,
  }
}

const tileOf = (k: Builder, name: string, slabs: number, words: number) =>
  k.workgroup(`${name}_tile`, d.vec4u, slabs, words)
export type Tile = ReturnType<typeof tileOf>

export interface Slab extends Moves {
  /** [slab][word]: workgroup memory to use for something else, when the product is done. */
  readonly tile: Tile
  readonly slabs: number
  /** Words of a slab. */
  readonly words: number
  /** Matrix `i` of a part of the lines, in a slice of k, at step `kk` of it. */
  matrix(part: U32, slice: U32, i: number, kk: number): unknown
}

export function slabOf(k: Builder, o: SlabOptions): Slab {
  const { pitch, words, slabs } = layoutOf(o)
  const tile = tileOf(k, o.name, slabs, words)
  const slabAt = (part: U32, slice: U32): U32 =>
    o.alongK ? u32`${part} * ${o.slices} + ${slice}` : u32`${slice} * ${o.lines / o.part} + ${part}`
  const wordAt: WordAt = (part, slice, word) => tile.at(slabAt(part, slice), word)
  const deep = depthOf(o.component)
  const wide = inWord(o.component)
  const isLeft = o.role === 'left'
  const size = { rows: isLeft ? SIDE : deep, cols: isLeft ? deep : SIDE }
  const type = subgroupMatrix(o.role, o.component === 'i8' ? 'i8' : f16, size)
  const matrix = (part: U32, slice: U32, i: number, kk: number): unknown => {
    const offset = o.alongK ? i * SIDE * pitch + (kk * deep) / wide : kk * deep * pitch + (i * SIDE) / wide
    return k.subgroupMatrixLoad(
      type as never,
      tile.at(slabAt(part, slice)),
      offset,
      pitch,
      isLeft === o.alongK ? 'row' : 'col',
    )
  }
  return { tile, slabs, words, matrix, ...(o.alongK ? alongK : acrossK)(k, o, pitch, wordAt) }
}
