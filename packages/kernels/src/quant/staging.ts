import { type Builder, d, type Expr, each, f32, fn, u32, vec4f, vec4u } from '@weft/dsl'
import type { Part } from '../parts/lines'
import { components, packed, rowInTurn } from '../parts/matrices'
import type { FormatView } from './format'
import type { LineFormat } from './lines'

/**
 * Operands of subgroup matrices in workgroup memory: `lines` rows of x or of W and `deep` values of each, f16, eight to a word of 16 bytes. A tile is
 * cut into slabs, one for each row (or column) of subgroups; a row has one word more than it needs, so that a matrix, which is read
 * 8 rows at a time, finds them in different banks.
 *
 * `load` reads what this invocation has of a tile, and gives what puts it there: reads are under way from one to the other.
 */

type U32 = Expr<'u32'>

/** Values of a word. */
export const WORD = 8

export interface TileOptions {
  /** The first row, how many the matrix has, and how long they are. */
  readonly row: U32
  readonly count: U32
  readonly depth: U32
  readonly lines: number
  /** Rows of a slab. */
  readonly part: number
  readonly deep: number
}

const tileOf = (k: Builder, name: string, { lines, part, deep }: TileOptions) =>
  k.workgroup(name, d.vec4u, lines / part, part * (deep / WORD + 1))

export interface StagedTile {
  /** [slab][word] */
  readonly tile: ReturnType<typeof tileOf>
  /** Words of a slab. */
  readonly words: number
  readonly load: (k0: U32) => () => void
}

/** Where row `line` of a tile begins. */
function startOf(
  k: Builder,
  line: U32,
  { lines, part, deep }: TileOptions,
): { readonly slab: U32; readonly start: U32 } {
  const slabs = lines / part
  return k.let({ slab: line.div(part).rem(slabs), start: line.rem(part).mul(deep / WORD + 1) })
}

/** Rows of f16: k is a multiple of 8. What is behind their end is zero. */
export function plainTile(
  k: Builder,
  { source, ...o }: TileOptions & { readonly source: { at(i: U32): Expr<'vec4u'> } },
): StagedTile {
  const tile = tileOf(k, 'x_tile', o)
  const across = o.deep / WORD
  const abreast = k.workgroupSize / across
  const own = k.let('own', k.localIndex.rem(across))
  const line = rowInTurn(k, 'line', across, k.localIndex.div(across))
  const items = each(o.lines / abreast).map((p) => {
    const inTile = p === 0 ? line : line.add(p * abreast)
    return {
      inTile,
      // rows that are not there are read as the last one, and not written
      at: k.let(`x_at${p}`, u32`min(${o.row} + ${inTile}, ${o.count} - 1) * (${o.depth} / ${WORD}) + ${own}`),
      next: k.var(`x_next${p}`, vec4u(0)),
    }
  })
  const load = (k0: U32) => {
    const inside = k.let('inside', u32`${k0} + ${own} * ${WORD}`.lt(o.depth))
    const words = k.let('words_on', k0.div(WORD))
    for (const { at, next } of items) next.set(k.when(inside, () => source.at(at.add(words)), vec4u(0)))
    return () => {
      for (const { inTile, next } of items) {
        const { slab, start } = startOf(k, inTile, o)
        tile.at(slab, start.add(own)).set(next)
      }
    }
  }
  return { tile, words: o.part * (o.deep / WORD + 1), load }
}

/** The eights of a chunk as words of f16. */
function halves(k: Builder, parts: readonly Part[]): readonly Expr<'vec4u'>[] {
  const quads = parts.flatMap(({ quads, scale, least }) =>
    quads.map((quad) => {
      const factor = vec4f(scale ?? f32(1))
      return k.let('w_quad', least ? fn.fma(quad, factor, vec4f(least.neg())) : quad.mul(factor))
    }),
  )
  return each(quads.length / 2).map((e) => {
    const [low, high] = [quads[2 * e], quads[2 * e + 1]] as [Expr<'vec4f'>, Expr<'vec4f'>]
    return packed(components(low), components(high))
  })
}

/** Rows of W, which become f16 when they are put: `deep` is a multiple of the format's window. */
export function packedTile(
  k: Builder,
  { format, view, ...o }: TileOptions & { readonly format: LineFormat; readonly view: FormatView },
): StagedTile {
  const tile = tileOf(k, 'w_tile', o)
  const across = o.deep / format.chunk
  const abreast = k.workgroupSize / across
  const { own, line } = k.let({ own: k.localIndex.rem(across), line: k.localIndex.div(across) })
  const items = each(o.lines / abreast).map((p) => {
    const inTile = p === 0 ? line : line.add(p * abreast)
    return { inTile, read: format.line(k, view, k.let(`w_row${p}`, u32`min(${o.row} + ${inTile}, ${o.count} - 1)`)) }
  })
  const chunks = k.let('chunks', o.depth.div(format.chunk))
  const places = format.places(own).map((place) => k.let('place', place.rem(o.deep / WORD)))
  const load = (k0: U32) => {
    // behind the end the last chunk is read once more, and multiplied by zeros of x
    const c = k.let('c', u32`min(${k0} / ${format.chunk} + ${own}, ${chunks} - 1)`)
    const loads = items.map(({ read }) => read(c))
    return () => {
      for (const [p, parts] of loads.entries()) {
        const { slab, start } = startOf(k, (items[p] as (typeof items)[0]).inTile, o)
        for (const [e, word] of halves(k, parts()).entries()) tile.at(slab, start.add(places[e] as U32)).set(word)
      }
    }
  }
  return { tile, words: o.part * (o.deep / WORD + 1), load }
}
