import { type AtomicRef, type Builder, bitcast, type Expr, each, fn, u32, type VarRef, vec3u } from '@weft/dsl'
import { type Element, typesOf } from './element'
import { type Quads, sumAgain, type Tile } from './tile'

/** How a tile finds the sum of all tiles before it, which other workgroups publish: see `scan_once`. */

type U32 = Expr<'u32'>
type One = Expr<'f32'>

export interface LookBack extends Tile {
  /** Tiles of a block: one for an invocation at most. */
  readonly block: number
  readonly x: Quads
  readonly quads: U32
  /** Of tiles, then of blocks. */
  readonly sums: { at(i: U32): AtomicRef<'u32'> }
  readonly tiles: U32
  readonly looks: U32
}

/** The number of a tile that is missing is so much higher, of a block 1: what is missing of both is one number, and tiles come first. */
const TILE_MISSING = 2 ** 16

/** A sum as it is published, where 0 stands for one that is not there yet: one of 0 is told as −0, which adds as much. */
function wordOf(element: Element, sum: One): U32 {
  const bits = bitcast(u32, sum)
  return element === 'u32' ? bits.add(1) : fn.select(bits, u32(0x8000_0000), bits.eq(0))
}

const sumOf = (element: Element, word: U32): One =>
  bitcast(typesOf(element).one, element === 'u32' ? word.sub(1) : word)

export function publish(k: Builder, { element, sums }: LookBack, place: U32, sum: One): void {
  k.if(k.localIndex.eq(0), () => sums.at(place).max(wordOf(element, sum)))
}

/** What a workgroup looks for, and what an invocation has of it. */
interface Search {
  /** The block that tiles are looked for of: that of the tile before, or, where that takes too long, one of those before it. */
  readonly at: VarRef<'u32'>
  /** Its tiles. */
  readonly count: VarRef<'u32'>
  /** Whether this invocation has the sum of its tile, or none to look for. */
  readonly found: VarRef<'bool'>
  readonly ofTile: VarRef<'f32'>
  /** The block that this invocation looks for next, and the sum of those that it has. */
  readonly next: VarRef<'u32'>
  readonly ofBlocks: VarRef<'f32'>
}

/** Adds to `start` the sum of the tiles before `tile`, which is not the first one. */
export function sumBefore(k: Builder, scan: LookBack, tile: U32, start: VarRef<'f32'>): void {
  const { element, block, tiles, looks } = scan
  const { one } = typesOf(element)
  const last = k.let('last', tile.sub(1))
  const mine = k.let('mine', last.div(block))
  const { at, count } = k.var({ at: mine, count: last.rem(block).add(1) })
  const { found, ofTile } = k.var({ found: k.localIndex.ge(count), ofTile: one(0) })
  const { next, ofBlocks } = k.var({ next: k.localIndex, ofBlocks: one(0) })
  const { rest, look } = k.var({ rest: one(0), look: u32(0) })
  const search: Search = { at, count, found, ofTile, next, ofBlocks }
  k.loop(() => {
    k.if(looks.gt(0), () => lookFor(k, scan, search, mine))
    const all = gather(k, scan, search, mine)
    const patient = k.let('patient', look.lt(looks))
    look.addAssign(1)
    k.if(
      all.missing.lt(TILE_MISSING),
      () => {
        k.if(count.eq(block), () => publish(k, scan, tiles.add(at), all.ofTiles))
        k.if(
          at.eq(mine),
          () => rest.set(all.ofTiles),
          () => k.if(next.eq(at), () => takeBlock(k, search, all.ofTiles)),
        )
        k.if(all.missing.eq(0), () => {
          start.addAssign(all.ofBlocks.add(rest))
          k.break()
        })
        k.if(patient.not(), () => {
          at.set(all.missing.sub(1))
          count.set(block)
          found.set(k.localIndex.ge(block))
          ofTile.set(one(0))
        })
      },
      () => k.if(patient.not(), () => sumTile(k, scan, search, all.missing.sub(TILE_MISSING))),
    )
  })
}

function takeTile({ found, ofTile }: Search, sum: One): void {
  found.set(true)
  ofTile.set(sum)
}

function takeBlock(k: Builder, { next, ofBlocks }: Search, sum: One): void {
  ofBlocks.addAssign(sum)
  next.addAssign(k.workgroupSize)
}

function lookFor(k: Builder, { element, block, sums, tiles }: LookBack, search: Search, mine: U32): void {
  const { at, found, next } = search
  k.if(found.not(), () => {
    const word = k.let('word', sums.at(u32`${at} * ${block} + ${k.localIndex}`).load())
    k.if(word.ne(0), () => takeTile(search, sumOf(element, word)))
  })
  k.while(
    () => next.lt(mine),
    () => {
      const word = k.let('word', sums.at(tiles.add(next)).load())
      k.if(word.eq(0), () => k.break())
      takeBlock(k, search, sumOf(element, word))
    },
  )
}

/** Sums a tile of the block that is looked for in place of its own workgroup. */
function sumTile(k: Builder, scan: LookBack, search: Search, missing: U32): void {
  const number = k.let('number', missing)
  const other = k.let('other', u32`${search.at} * ${scan.block} + ${number}`)
  const total = k.let('total', tileSum(k, scan, sumAgain(k, scan, scan.x, scan.quads, other)))
  publish(k, scan, other, total)
  k.if(k.localIndex.eq(number), () => takeTile(search, total))
}

/** What one invocation combines first: of 128 there are then 16, which are few enough for one. Two barriers, where a tree has seven. */
const FIRST = 8

/** Of the values at i, i + step, …, `count` of them. */
const combined = <T extends Element>(
  from: { at(i: U32): Expr<T> },
  i: U32,
  count: number,
  step: number,
  combine: (a: Expr<T>, b: Expr<T>) => Expr<T>,
): Expr<T> =>
  each(count)
    .map((j) => from.at(i.add(j * step)))
    .reduce(combine)

/** The sum of a tile, in one order whoever adds it up. */
export function tileSum(k: Builder, { element }: Tile, own: One): One {
  const parts = k.workgroup('tile_part', typesOf(element).one, k.workgroupSize)
  const few = k.workgroupSize / FIRST
  const i = k.localIndex
  const add = (a: One, b: One) => a.add(b)
  parts.at(i).set(own)
  k.workgroupBarrier()
  k.if(i.lt(few), () => parts.at(i).set(combined(parts, i, FIRST, few, add)))
  k.workgroupBarrier()
  return k.let('total', combined(parts, u32(0), few, 1, add))
}

interface Found {
  readonly ofTiles: One
  readonly ofBlocks: One
  /** 0 where nothing is. */
  readonly missing: U32
}

/** Two sums over the workgroup, and a maximum; told to all as the bits of one vector. */
function gather(k: Builder, { element }: Tile, { found, ofTile, next, ofBlocks }: Search, mine: U32): Found {
  const { one } = typesOf(element)
  const n = k.workgroupSize
  const few = n / FIRST
  const i = k.localIndex
  const tiles = k.workgroup('of_tiles', one, n)
  const blocks = k.workgroup('of_blocks', one, n)
  const missing = k.workgroup('missing_of', u32, n)
  const all = k.workgroup('all_of', vec3u)
  const combine = (count: number, step: number): Found => ({
    ofTiles: combined(tiles, i, count, step, (a, b) => a.add(b)),
    ofBlocks: combined(blocks, i, count, step, (a, b) => a.add(b)),
    missing: combined(missing, i, count, step, (a, b) => fn.max(a, b)),
  })
  const put = (some: Found) => {
    tiles.at(i).set(some.ofTiles)
    blocks.at(i).set(some.ofBlocks)
    missing.at(i).set(some.missing)
  }
  const ofThem = fn.select(u32(0), next.add(1), next.lt(mine))
  put({ ofTiles: ofTile, ofBlocks, missing: k.let('missing', fn.select(ofThem, i.add(TILE_MISSING), found.not())) })
  k.workgroupBarrier()
  k.if(i.lt(few), () => put(combine(FIRST, few)))
  k.workgroupBarrier()
  k.if(i.eq(0), () => {
    const { ofTiles, ofBlocks, missing } = combine(few, 1)
    all.set(vec3u(bitcast(u32, ofTiles), bitcast(u32, ofBlocks), missing))
  })
  const known = k.let('all', k.workgroupUniformLoad(all))
  return { ofTiles: bitcast(one, known.x), ofBlocks: bitcast(one, known.y), missing: known.z }
}
