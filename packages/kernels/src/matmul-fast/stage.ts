import { type Builder, type Expr, each, fn, u32, type VarRef, vec4f } from '@weft/dsl'
import type { U32 } from './numbers'

/**
 * An operand of a product on its way to the registers of a workgroup: a tile of `lines` rows of a (or columns of b) and `depth` values of
 * k. It lies in workgroup memory as quads of lines, one k after another, whichever way the matrix lies: where neighbours in memory are
 * neighbours along k, a quad of memory is turned when it is put there. An invocation loads its quads of the next tile into registers, and
 * puts them into workgroup memory when the tile before has been used.
 *
 * All indices of workgroup memory are constants or proven in range, and one address serves all loads of the inner loop. Four values of k have
 * some quads more than they need, so that invocations which turn quads side by side, each of its k, hit different banks.
 *
 * Quads are turned by ones, each element to its place, or by fours: an invocation then has the quads of four lines, and puts whole ones. Which is faster
 * is up to the driver's registers, not to banks: see blocks.ts.
 */
export interface StageOptions {
  readonly name: string
  readonly lines: number
  readonly depth: number
  readonly threads: number
  /** Whether neighbours in memory are neighbours along k: known here, or the same for the whole dispatch. */
  readonly alongK: Expr<'bool'> | boolean
  /** Whether all lines of the tile are there, and all of its values of k whenever it is loaded: nothing is tested then. */
  readonly isWhole: boolean
  /** Whether quads are turned by fours, where an invocation has as many loads. */
  readonly byFours: boolean
  readonly source: { at(i: U32): Expr<'vec4f'> }
  /** Its first element, and elements from a row to the next, as they lie in memory: multiples of 4. */
  readonly first: U32
  readonly stride: U32
  /** The first line of the tile, and how many lines there are. */
  readonly line: U32
  readonly count: U32
  /** Where k ends: a multiple of 4 where `alongK`. */
  readonly end: U32
  /** Quads of k of the tile before those that this invocation uses. */
  readonly before?: U32 | undefined
}

export interface Stage {
  /** Reads the quads of this invocation from k0 on; zeros beyond the end of k. */
  load(k0: U32): void
  /** Puts them into workgroup memory. */
  put(): void
  /** Four lines at a k of the tile, or of the part of it that this invocation uses. */
  at(kk: number, quad: U32): Expr<'vec4f'>
  /** The memory of the tile: `wide` quads of lines at each of 4 values of k, in each quad of k. */
  place(kq: U32, j: number, quad: U32): VarRef<'vec4f'>
  readonly wide: number
}

/** Quads of four values of k: those of the lines, and so many more that four of them side by side begin in different banks, of 8 quads. */
const pitchOf = (lines: number, depth: number): number => lines + Math.max(1, 32 / depth)

/** Bytes of the tile. */
export const stageBytes = (lines: number, depth: number): number => (depth / 4) * pitchOf(lines, depth) * 16

type Load = ReturnType<typeof placesOf>['loads'][number]

export function stageOf(k: Builder, o: StageOptions): Stage {
  const name = (what: string) => `${o.name}_${what}`
  const [deep, wide] = [o.depth / 4, o.lines / 4]
  const tile = k.workgroup(name('tile'), vec4f, deep, pitchOf(o.lines, o.depth))
  const { kq, line, lq, row, unit, loads, inFours } = placesOf(k, o)
  const [lines, rows] = [o.threads / deep, o.threads / wide]
  const place = (q: U32 | number, j: U32 | number, quad: U32) =>
    tile.at(q, typeof j === 'number' ? quad.add(j * wide) : u32`${j} * ${wide} + ${quad}`)
  const turned = () => {
    if (!inFours)
      return loads.forEach(({ next }, p) => {
        const quad = u32`${line} / 4 + ${(p * lines) / 4}`
        for (const j of each(4)) place(kq, j, quad).at(line.rem(4)).set(next.at(j))
      })
    // four lines of an invocation: whole quads
    for (const p of each(loads.length / 4)) {
      const of = (i: number, j: number) => (loads[4 * p + i] as Load).next.at(j)
      for (const j of each(4))
        place(kq, j, u32`${line} / 4 + ${p * lines}`).set(vec4f(of(0, j), of(1, j), of(2, j), of(3, j)))
    }
  }
  const straight = () =>
    loads.forEach(({ next }, p) => {
      const kk = p * rows
      if (rows <= 4) place(Math.floor(kk / 4), row.add(kk % 4), lq).set(next)
      else place(row.div(4).add(kk / 4), row.rem(4), lq).set(next)
    })
  return {
    load: (k0) => {
      const offset = k.let(name('offset'), u32`${k0} / 4 * ${unit}`)
      const of = (at: U32) => o.source.at(at.add(offset))
      const all = () => {
        for (const { at, next } of loads) next.set(of(at))
      }
      if (o.isWhole) return all()
      // tiles that lie before the end of k are loaded without tests, which is one for all loads
      k.if(k0.add(o.depth).le(o.end), all).else(() => {
        for (const { at, kk, next } of loads) next.set(k.when(k0.add(kk).lt(o.end), () => of(at), vec4f(0)))
      })
    },
    put: () => {
      if (typeof o.alongK !== 'boolean') k.if(o.alongK, turned, straight)
      else if (o.alongK) turned()
      else straight()
    },
    at: (kk, quad) => place(o.before ? o.before.add(Math.floor(kk / 4)) : Math.floor(kk / 4), kk % 4, quad),
    place,
    wide,
  }
}

/** Which quads of a tile are this invocation's, either way; where they lie in memory, and the registers that they come to. */
function placesOf(k: Builder, o: StageOptions) {
  const name = (what: string) => `${o.name}_${what}`
  const [deep, wide] = [o.depth / 4, o.lines / 4]
  const [lines, rows] = [o.threads / deep, o.threads / wide]
  // along k: a quad of k, of one line or of four; `deep` quads of a line side by side
  const count = (wide * o.depth) / o.threads
  const inFours = o.byFours && count % 4 === 0
  const kq = k.let(name('kq'), k.localIndex.rem(deep))
  const line = k.let(name('line'), inFours ? k.localIndex.div(deep).mul(4) : k.localIndex.div(deep))
  const lineOf = (p: number) => (inFours ? (p % 4) + Math.floor(p / 4) * 4 * lines : p * lines)
  // across k: a quad of lines, at one k; `wide` quads side by side
  const lq = k.let(name('lq'), k.localIndex.rem(wide))
  const row = k.let(name('row'), k.localIndex.div(wide))
  const step = k.let(name('step'), o.stride.div(4))
  const either = (along: () => U32, across: () => U32): U32 =>
    typeof o.alongK === 'boolean' ? (o.alongK ? along() : across()) : fn.select(across(), along(), o.alongK)
  const inside = (at: U32, end: () => U32): U32 => (o.isWhole ? at : u32`min(${at}, ${end()} - 1)`)
  const [one, stride] = [() => u32(1), () => o.stride]
  const unit = k.let(name('unit'), either(one, stride))
  const first = k.let(name('start'), o.first.div(4))
  const quads = () => u32`(${o.count} + 3) / 4`
  const column = k.let(name('column'), inside(u32`${o.line} / 4 + ${lq}`, quads))
  const loads = each(count).map((p) => {
    const kk = () => row.add(p * rows)
    const across = () => kk().mul(step).add(column)
    const along = () => u32`${inside(u32`${o.line} + ${line} + ${lineOf(p)}`, () => o.count)} * ${step} + ${kq}`
    const inQuad = () => kq.mul(4)
    return {
      at: k.let(name(`at${p}`), first.add(either(along, across))),
      kk: k.let(name(`kk${p}`), either(inQuad, kk)),
      next: k.var(name(`next${p}`), vec4f(0)),
    }
  })
  return { kq, line, lq, row, unit, loads, inFours }
}
