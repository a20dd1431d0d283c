import {
  type Builder,
  bitcast,
  type Expr,
  each,
  f32,
  fn,
  u32,
  type VarRef,
  vec2f,
  vec4f,
  vec4h,
  vec4i,
  vec4u,
} from '@weft/dsl'
import type { U32 } from './numbers'
import type { Finish, Words } from './result'
import { SIDE, type Slab } from './slab'

/**
 * The sums of a workgroup, matrices of its subgroups, on their way to c. Only the device knows which invocation holds which element, so the
 * matrices go through workgroup memory, a strip of a few at a time, and come back in order: whatever follows the product is done there, and c
 * is written in whole words. The memory is that of a tile which is no longer used: of its own it would cost occupancy.
 */
export interface DrainOptions {
  readonly sums: 'f32' | 'f16' | 'i32'
  /** [row of matrices][column] of a subgroup. */
  readonly acc: readonly (readonly unknown[])[]
  /** Subgroups below each other and side by side, and which of them this is. */
  readonly down: number
  readonly across: number
  readonly subgroup: U32
  /** Subgroups that share a block, each with the sums over its part of k: their sums are joined here. */
  readonly slices: number
  /** The tiles of a (slabs for rows of subgroups) and of b (for columns). */
  readonly a: Slab
  readonly b: Slab
  /** c in words of four elements: f16 where something may follow, sums as they are otherwise. */
  readonly words: Words<Expr<'vec4f'>>
  /** What may follow, and by what sums are multiplied when nothing does. */
  readonly after?: Finish | undefined
  readonly alpha?: Expr<'f32'> | undefined
}

const LANES = 32

export function drain(k: Builder, o: DrainOptions): void {
  const { acc, down, across, slices, after } = o
  const [rows, cols] = [acc.length * SIDE, (acc[0] as readonly unknown[]).length * SIDE]
  const inWord = o.sums === 'f16' ? 8 : 4
  const byColumn = o.b.words * o.b.slabs >= o.a.words * o.a.slabs
  const [{ tile, words }, sharing] = byColumn ? [o.b, down] : [o.a, across]
  const { width, pitch } = stripOf(cols, inWord, Math.floor(words / sharing))
  const room = pitch * SIDE
  /** Where the sums of a subgroup go: by its block, and its slice of k. */
  const place = (who: U32, slice: U32): readonly [slab: U32, first: U32] => {
    const [row, col] = [who.rem(down * across).div(across), who.rem(across)]
    const slab = u32`${byColumn ? col : row} * ${slices} + ${slice}`
    return [slab, (byColumn ? row : col).mul(room)]
  }
  const member = k.let('member', k.localIndex.div(LANES))
  const lane = k.let('lane', k.localIndex.rem(LANES))
  const block = k.let('block', member.rem(down * across))
  const scale = o.alpha && after ? k.let('scale', fn.select(f32(1), o.alpha, after.isPlain)) : undefined
  acc.forEach((matrices, i) => {
    for (const strip of each(cols / width)) {
      const [mine, start] = place(o.subgroup, o.subgroup.div(down * across))
      for (const j of each(width / SIDE)) {
        const matrix = matrices[strip * (width / SIDE) + j]
        k.subgroupMatrixStore(tile.at(mine) as never, start.add((j * SIDE) / inWord), matrix as never, pitch)
      }
      k.workgroupBarrier()
      const word = (r: U32, c: U32, slice = 0): VarRef<'vec4u'> => {
        const [slab, first] = place(block, u32(slice))
        return tile.at(slab, u32`${first} + ${r} * ${pitch} + ${c} / ${inWord}`)
      }
      const rowOf = (r: U32): U32 => u32`${block} / ${across} * ${rows} + ${i * SIDE} + ${r}`
      const colOf = (c: U32): U32 => u32`${block} % ${across} * ${cols} + ${strip * width} + ${c}`
      /** A loop over the strip, in which each invocation takes so many elements of a row; those of all slices share it. */
      const forEach = (take: number, body: (r: U32, c: U32) => void) => {
        const abreast = LANES * slices
        k.range('e', 0, Math.ceil((SIDE * width) / (take * abreast)), (e) => {
          const at = k.let('at', u32`(${e} * ${abreast} + ${member} / ${down * across} * ${LANES} + ${lane}) * ${take}`)
          const { r, c } = k.let({ r: at.div(width), c: at.rem(width) })
          if ((SIDE * width) % (take * abreast) === 0) body(r, c)
          else k.if(r.lt(SIDE), () => body(r, c))
        })
      }
      if (slices > 1) {
        forEach(4, (r, c) =>
          word(r, c).set(
            joined(
              o.sums,
              each(slices).map((slice) => word(r, c, slice)),
            ),
          ),
        )
        k.workgroupBarrier()
      }
      if (after)
        k.if(after.isPlain.not(), () => {
          forEach(o.sums === 'f16' ? 2 : 1, (r, c) => {
            const [row, col] = [k.let('row', rowOf(r)), k.let('col', colOf(c))]
            k.if(o.words.isInside(row, col), () => finished(after, o.sums, word(r, c), c, row, col))
          })
          k.workgroupBarrier()
        })
      forEach(4, (r, c) => o.words.put(rowOf(r), colOf(c), () => wordOf(o.sums, word(r, c), c, scale)))
      k.workgroupBarrier()
    }
  })
}

/** Four sums over all of k from those over its slices. */
function joined(sums: string, words: readonly Expr<'vec4u'>[]): Expr<'vec4u'> {
  const type = (sums === 'i32' ? vec4i : vec4f) as typeof vec4f
  return bitcast(
    vec4u,
    words.map((word) => bitcast(type, word)).reduce((all, word) => all.add(word)),
  )
}

/** The widest strip that fits so many words for each subgroup, with rows in different banks where there is room. */
function stripOf(cols: number, inWord: number, words: number): { readonly width: number; readonly pitch: number } {
  for (const width of [4 * SIDE, 2 * SIDE, SIDE])
    for (const more of [1, 0]) {
      const pitch = width / inWord + more
      if (width <= cols && pitch * SIDE <= words) return { width, pitch }
    }
  throw new RangeError(`a tile has ${words} words for each subgroup, too few for its sums`)
}

/** What follows, in place: on one sum, or on two that share 32 bits. */
function finished(after: Finish, sums: string, word: VarRef<'vec4u'>, c: U32, row: U32, col: U32): void {
  if (sums === 'f16') {
    const place = word.at(c.div(2).rem(4))
    const pair = fn.unpack2x16float(place)
    place.set(fn.pack2x16float(vec2f(after.of(row, col, pair.x), after.of(row, col.add(1), pair.y))))
  } else {
    const place = word.at(c.rem(4))
    place.set(bitcast(u32, after.of(row, col, bitcast(f32, place))))
  }
}

/** Four elements of c from a word of the strip, or from the half of it that column `c` begins. */
function wordOf(sums: string, word: Expr<'vec4u'>, c: U32, scale?: Expr<'f32'>): Expr<'vec4f'> {
  if (sums === 'i32') return bitcast(vec4i, word) as unknown as Expr<'vec4f'>
  if (!scale) return bitcast(vec4f, word)
  if (sums !== 'f16') return vec4h(bitcast(vec4f, word).mul(scale)) as unknown as Expr<'vec4f'>
  const isLow = c.rem(8).eq(0)
  const half = (low: U32, high: U32) => fn.unpack2x16float(fn.select(high, low, isLow))
  const [first, second] = [half(word.x, word.z), half(word.y, word.w)]
  return vec4h(vec4f(first.x, first.y, second.x, second.y).mul(scale)) as unknown as Expr<'vec4f'>
}
