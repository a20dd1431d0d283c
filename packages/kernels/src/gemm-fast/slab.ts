import { type Builder, d, type Expr, each, f16, subgroupMatrix, u32, vec4u } from '@weft/dsl'
import type { U32 } from './numbers'

/**
 * An operand of a product on its way to the matrices of subgroups: a tile of `lines` rows of a (or columns of b) and `depth` values of k in
 * workgroup memory, cut into slabs, one for each row (or column) of subgroups. A slab lies as the operand lies in memory, in rows of 16-byte
 * words; a row has one word more than it needs, so that a matrix, which is read 8 rows at a time, finds them in different banks.
 *
 * What Tint proves decides the speed: a load of a matrix whose array, offset and stride are constants is used as it is; any other one gets
 * two selections, and a stride that the driver does not know. So the slab is an index of the array, and all else is constant.
 */
export interface SlabOptions {
  readonly name: string
  readonly component: 'f16' | 'i8'
  readonly role: 'left' | 'right'
  readonly lines: number
  /** Lines of a slab. */
  readonly part: number
  readonly depth: number
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
/** Rows and columns of a matrix, and how deep it is. */
export const SIDE = 16
export const depthOf = (component: SlabOptions['component']): number => (component === 'i8' ? 32 : 16)

const tileOf = (k: Builder, name: string, slabs: number, words: number) =>
  k.workgroup(`${name}_tile`, d.vec4u, slabs, words)
export type Tile = ReturnType<typeof tileOf>

export interface Slab {
  /** [slab][word]: workgroup memory to use for something else, when the product is done. */
  readonly tile: Tile
  readonly slabs: number
  /** Words of a slab. */
  readonly words: number
  /** Reads the words of this invocation from k0 on; zeros beyond the end of k. */
  load(k0: U32): void
  /** Puts them into workgroup memory. */
  put(): void
  /** Matrix `i` of a slab at step `kk` of k. */
  matrix(slab: U32, i: number, kk: number): unknown
}

export function slabOf(k: Builder, o: SlabOptions): Slab {
  const wide = inWord(o.component)
  const pitch = (o.alongK ? o.depth : o.part) / wide + 1
  const words = (o.alongK ? o.part : o.depth) * pitch
  const slabs = o.lines / o.part
  const tile = tileOf(k, o.name, slabs, words)
  const deep = depthOf(o.component)
  const isLeft = o.role === 'left'
  const size = { rows: isLeft ? SIDE : deep, cols: isLeft ? deep : SIDE }
  const type = subgroupMatrix(o.role, o.component === 'i8' ? 'i8' : f16, size)
  const rowMajor = isLeft === o.alongK
  const matrix = (slab: U32, i: number, kk: number): unknown => {
    const offset = o.alongK ? i * SIDE * pitch + (kk * deep) / wide : kk * deep * pitch + (i * SIDE) / wide
    return k.subgroupMatrixLoad(type as never, tile.at(slab), offset, pitch, rowMajor ? 'row' : 'col')
  }
  return { tile, slabs, words, matrix, ...(o.alongK ? alongK : acrossK)(k, o, tile, pitch) }
}

type Moves = Pick<Slab, 'load' | 'put'>
type Move = (k: Builder, o: SlabOptions, tile: Tile, pitch: number) => Moves

/** Loads of a tile that lies before the end of k have no tests, which is one for all of them. */
const whole = (k: Builder, o: SlabOptions, k0: U32, then: () => void) => k.if(k0.add(o.depth).le(o.end), then)

/** Rows of memory are lines: `depth` of each. */
const alongK: Move = (k, o, tile, pitch) => {
  const wide = inWord(o.component)
  const across = o.depth / wide
  const abreast = o.threads / across
  const word = k.let(`${o.name}_word`, k.localIndex.rem(across))
  const row = k.let(`${o.name}_row`, k.localIndex.div(across))
  const loads = each(o.lines / abreast).map((p) => {
    const line = u32`min(${o.line} + ${row} + ${p * abreast}, ${o.count} - 1)`
    return {
      at: k.let(`${o.name}_at${p}`, u32`(${o.first} + ${line} * ${o.stride}) / ${wide} + ${word}`),
      next: k.var(`${o.name}_next${p}`, vec4u(0)),
    }
  })
  return {
    load: (k0) => {
      const of = (at: U32) => o.source.at(u32`${at} + ${k0} / ${wide}`)
      whole(k, o, k0, () => {
        for (const { at, next } of loads) next.set(of(at))
      }).else(() => {
        const inside = k.let(`${o.name}_in`, k0.add(word.mul(wide)).lt(o.end))
        for (const { at, next } of loads) next.set(k.when(inside, () => of(at), vec4u(0)))
      })
    },
    put: () =>
      loads.forEach(({ next }, p) => {
        const line = p * abreast
        const known = abreast <= o.part
        const slab = known ? u32(Math.floor(line / o.part)) : row.add(line).div(o.part)
        const inSlab = known ? row.add(line % o.part) : row.add(line).rem(o.part)
        tile.at(slab, u32`${inSlab} * ${pitch} + ${word}`).set(next)
      }),
  }
}

/** Rows of memory are values of k: `lines` of each. */
const acrossK: Move = (k, o, tile, pitch) => {
  const wide = inWord(o.component)
  const across = o.lines / wide
  const abreast = o.threads / across
  const word = k.let(`${o.name}_word`, k.localIndex.rem(across))
  const row = k.let(`${o.name}_row`, k.localIndex.div(across))
  const step = k.let(`${o.name}_step`, o.stride.div(wide))
  const last = u32`(${o.count} + ${wide - 1}) / ${wide} * ${wide} - ${wide}`
  const from = k.let(`${o.name}_at`, u32`(${o.first} + min(${o.line} + ${word} * ${wide}, ${last})) / ${wide}`)
  const nexts = each(o.depth / abreast).map((p) => k.var(`${o.name}_next${p}`, vec4u(0)))
  const inSlab = o.part / wide
  return {
    load: (k0) => {
      const of = (kk: U32) => o.source.at(u32`${from} + ${kk} * ${step}`)
      const kkOf = (p: number) => u32`${k0} + ${row} + ${p * abreast}`
      whole(k, o, k0, () => {
        nexts.forEach((next, p) => {
          next.set(of(kkOf(p)))
        })
      }).else(() => {
        nexts.forEach((next, p) => {
          const kk = kkOf(p)
          next.set(k.when(kk.lt(o.end), () => of(kk), vec4u(0)))
        })
      })
    },
    put: () =>
      nexts.forEach((next, p) => {
        tile.at(word.div(inSlab), u32`(${row} + ${p * abreast}) * ${pitch} + ${word} % ${inSlab}`).set(next)
      }),
  }
}
