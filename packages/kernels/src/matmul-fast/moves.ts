import { type Builder, type Expr, each, u32, vec4u } from '@weft/dsl'
import { rowInTurn } from '../parts/matrices'
import type { U32 } from './numbers'
import { inWord, type SlabOptions, type WordAt } from './operand'

/** How an operand comes into its tile, see slab.ts. */
export interface Moves {
  /** Reads the words of this invocation from k0 on; zeros beyond the end of k. */
  load(k0: U32): void
  /** Puts them into workgroup memory. */
  put(): void
}

type MovesOf = (k: Builder, o: SlabOptions, pitch: number, wordAt: WordAt) => Moves

/** Loads of a tile that lies before the end of k have no tests, which is one for all of them. */
const whole = (k: Builder, o: SlabOptions, k0: U32, then: () => void, otherwise: () => void) =>
  k.if(k0.add(o.depth).le(o.end), then).else(otherwise)

/** The registers of an invocation: so many words. */
const wordsOf = (k: Builder, { name }: SlabOptions, count: number) =>
  each(count).map((p) => k.var(`${name}_next${p}`, vec4u(0)))

/** Rows of memory are lines: `depth` of each. */
export const alongK: MovesOf = (k, o, pitch, wordAt) => {
  const wide = inWord(o.component)
  const across = o.depth / wide
  const abreast = o.threads / across
  const word = k.let(`${o.name}_word`, k.localIndex.rem(across))
  const row = rowInTurn(k, `${o.name}_row`, across, k.localIndex.div(across))
  const ats = each(o.lines / abreast).map((p) => {
    const line = u32`min(${o.line} + ${row} + ${p * abreast}, ${o.count} - 1)`
    return k.let(`${o.name}_at${p}`, u32`(${o.first} + ${line} * ${o.stride}) / ${wide} + ${word}`)
  })
  const nexts = wordsOf(k, o, ats.length)
  return {
    load: (k0) => {
      const of = (at: U32) => o.source.at(u32`${at} + ${k0} / ${wide}`)
      const all = (get: (at: U32) => Expr<'vec4u'>) =>
        nexts.forEach((next, p) => {
          next.set(get(ats[p] as U32))
        })
      whole(
        k,
        o,
        k0,
        () => all(of),
        () => {
          const inside = k.let(`${o.name}_in`, k0.add(word.mul(wide)).lt(o.end))
          all((at) => k.when(inside, () => of(at), vec4u(0)))
        },
      )
    },
    put: () =>
      nexts.forEach((next, p) => {
        const line = p * abreast
        const known = abreast <= o.part
        const part = known ? u32(Math.floor(line / o.part)) : row.add(line).div(o.part)
        const inSlab = known ? row.add(line % o.part) : row.add(line).rem(o.part)
        const inRow = across / o.slices
        wordAt(part, word.div(inRow), u32`${inSlab} * ${pitch} + ${word} % ${inRow}`).set(next)
      }),
  }
}

/** Rows of memory are values of k: `lines` of each. */
export const acrossK: MovesOf = (k, o, pitch, wordAt) => {
  const wide = inWord(o.component)
  const across = o.lines / wide
  const abreast = o.threads / across
  const word = k.let(`${o.name}_word`, k.localIndex.rem(across))
  const row = k.let(`${o.name}_row`, k.localIndex.div(across))
  const step = k.let(`${o.name}_step`, o.stride.div(wide))
  const last = u32`(${o.count} + ${wide - 1}) / ${wide} * ${wide} - ${wide}`
  const from = k.let(`${o.name}_at`, u32`(${o.first} + min(${o.line} + ${word} * ${wide}, ${last})) / ${wide}`)
  const nexts = wordsOf(k, o, o.depth / abreast)
  const inSlab = o.part / wide
  const depth = o.depth / o.slices
  return {
    load: (k0) => {
      const of = (kk: U32) => o.source.at(u32`${from} + ${kk} * ${step}`)
      const all = (get: (kk: U32) => Expr<'vec4u'>) =>
        nexts.forEach((next, p) => {
          next.set(get(u32`${k0} + ${row} + ${p * abreast}`))
        })
      whole(
        k,
        o,
        k0,
        () => all(of),
        () => all((kk) => k.when(kk.lt(o.end), () => of(kk), vec4u(0))),
      )
    },
    put: () =>
      nexts.forEach((next, p) => {
        const at = row.add(p * abreast)
        wordAt(word.div(inSlab), at.div(depth), u32`${at} % ${depth} * ${pitch} + ${word} % ${inSlab}`).set(next)
      }),
  }
}
