import {
  type ArrayRef,
  type Builder,
  bool,
  d,
  each,
  inout,
  input,
  type KernelDecl,
  kernel,
  tuple,
  u32,
  type VarRef,
  vec4i,
  vec4u,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { type Sums, sumParams, tilesOf, type U32 } from '../matmul-fast/numbers'
import { taskOf } from '../matmul-fast/order'
import { DOT_VARIANTS, dot4, lowBytes } from '../quant/packed'
import { dotsName, TILES, WORD } from './options'
import { turned } from './turned'

/**
 * c[z] = a[z] · b[z], or c[z] + a[z] · b[z], of signed bytes with sums in i32; either operand may be transposed. Bytes lie four to a word, the first in
 * the lowest bits; rows of a and b, as they lie in memory, begin at whole words. Sums over parts of k: see matmul-fast/numbers.ts.
 *
 * A workgroup of 16 × 16 computes a 64 × 64 tile of c, an invocation a 4 × 4 block of it. Tiles of 64 along k go through workgroup memory, 4 KiB
 * each, as words of four k of one row of a (or column of b), four rows to a vec4u: of two loads come sixteen dot products of four, which are one
 * instruction each where the language has `dot4I8Packed`, and shifts and products of lanes where it has not.
 *
 * Where neighbours in memory are neighbours along k, words lie in memory as they do in the tile. Elsewhere four words of four rows are turned, as a
 * 4 × 4 matrix of bytes, on their way. Bytes of a behind the end of k count as zero, whatever lies there; those of b may be anything, then.
 *
 * On an H200 4096³ takes 1.7 ms (81 TOP/s; a · bᵀ 73), of the 134 that its dot products of four could do; 1024³ 43 µs, and 135 without them.
 */

const { dots: TILE } = TILES
const QUADS = TILE / 4
/** Words of a tile along k. */
const WORDS = 16
const DEPTH = WORDS * WORD

interface Source {
  at(i: U32): U32
}
interface View extends Sums {
  readonly a: Source
  readonly b: Source
  readonly c: { at(i: U32): VarRef<'i32'> }
  /** Whether c is added to. */
  readonly onto: U32
}

export function dotsMatmul(transposeA: boolean, transposeB: boolean): KernelSource {
  const formula = `${transposeA ? 'aᵀ' : 'a'} · ${transposeB ? 'bᵀ' : 'b'}`
  const decl = {
    doc: `c = ${formula}, or c + ${formula}, of bytes with sums in i32, four products at a time`,
    workgroupSize: [QUADS, QUADS],
    bindings: { a: input(d.arrayOf(d.u32)), b: input(d.arrayOf(d.u32)), c: inout(d.arrayOf(d.i32)) },
    params: { ...sumParams, onto: d.u32 },
    workgroups: tilesOf(TILE, TILE),
    variants: DOT_VARIANTS,
  } as unknown as KernelDecl<Record<never, never>, Record<never, never>, Record<never, never>>
  return kernel(dotsName(transposeA, transposeB), decl, (untyped, k) => {
    const view = untyped as unknown as View
    const task = taskOf(k, view, TILE, TILE, 8)
    const { x, y } = k.localId
    const operand = (name: 'a' | 'b', alongK: boolean, first: U32, count: U32): Operand => {
      const [along, across] = alongK ? [x, y] : [y, x]
      const start = u32`(${view[`${name}_offset`]} + ${task.item} * ${view[`${name}_batch`]}) / ${WORD}`
      return {
        ...{ name, alongK, source: view[name], along, across, count },
        first: k.let(`${name}_first`, start),
        step: k.let(`${name}_step`, view[`${name}_row`].div(WORD)),
        line: k.let(`${name}_line`, first.add(across.mul(4))),
        isMasked: name === 'a',
      }
    }
    const a = operand('a', !transposeA, task.row, view.m)
    const b = operand('b', transposeB, task.col, view.n)
    const acc = products(k, task.from, task.end, a, b)
    store(k, view, { z: task.z, row: u32`${task.row} + ${y} * 4`, col: u32`${task.col} + ${x} * 4` }, acc)
  })
}

interface Operand {
  readonly name: string
  readonly source: Source
  /** Its first word, and words from a row to the next, as they lie in memory. */
  readonly first: U32
  readonly step: U32
  /** Which word along k, and which four rows of a (or columns of b), this invocation brings into the tile. */
  readonly along: U32
  readonly across: U32
  /** The first of those rows, and how many the matrix has. */
  readonly line: U32
  readonly count: U32
  readonly alongK: boolean
  /** Whether bytes behind the end of k are made zero. */
  readonly isMasked: boolean
}

type Tile = ArrayRef<{ readonly array: 'vec4u' }>

/** The 4 × 4 sums of an invocation over k in from … end - 1, a vec4i for each row. */
function products(k: Builder, from: U32, end: U32, a: Operand, b: Operand) {
  const aTile = k.workgroup('a_tile', vec4u, WORDS, QUADS)
  const bTile = k.workgroup('b_tile', vec4u, WORDS, QUADS)
  const acc = tuple(4, (i) => k.var(`acc${i}`, vec4i(0)))
  k.range('k0', from, end, DEPTH, (k0) => {
    stage(k, aTile, k0, end, a)
    stage(k, bTile, k0, end, b)
    k.workgroupBarrier()
    k.range('q', WORDS, (q) => {
      const { av, bv } = k.let({ av: aTile.at(q, k.localId.y), bv: bTile.at(q, k.localId.x) })
      for (const i of each(4)) {
        const dot = (j: number) => dot4(k, av.at(i), bv.at(j))
        acc[i].addAssign(vec4i(dot(0), dot(1), dot(2), dot(3)))
      }
    })
    k.workgroupBarrier()
  })
  return acc
}

/** Four words of an operand into the tile: four k, of four neighbouring rows or columns; zeros outside. */
function stage(k: Builder, tile: Tile, k0: U32, end: U32, o: Operand): void {
  const { name, source, first, step, along, across, line, count, alongK, isMasked } = o
  const kk = k.let(`${name}_k`, k0.add(along.mul(WORD)))
  const words = each(4).map((i) => {
    const [row, inside] = alongK
      ? [line.add(i), bool`${kk} < ${end} && ${line} + ${i} < ${count}`]
      : [kk.add(i), bool`${kk} + ${i} < ${end} && ${line} < ${count}`]
    const word = () => source.at(u32`${first} + ${row} * ${step} + ${alongK ? kk : line} / ${WORD}`)
    const known = () => (alongK && isMasked ? lowBytes(k, word(), end.sub(kk)) : word())
    return k.let(`${name}${i}`, k.when(inside, known, 0))
  })
  const four = words as [U32, U32, U32, U32]
  tile.at(along, across).set(vec4u(...(alongK ? four : turned(k, name, four))))
}

/** The 4 × 4 sums of an invocation to where they belong. */
function store(
  k: Builder,
  view: View,
  { z, row, col }: { readonly z: U32; readonly row: U32; readonly col: U32 },
  acc: readonly VarRef<'vec4i'>[],
): void {
  const first = k.let('c_first', u32`${view.c_offset} + ${z} * ${view.c_batch} + ${row} * ${view.c_row} + ${col}`)
  acc.forEach((sums, i) => {
    for (const j of each(4))
      k.if(row.add(i).lt(view.m).and(col.add(j).lt(view.n)), () => {
        const place = view.c.at(u32`${first} + ${i} * ${view.c_row} + ${j}`)
        const held = k.when(view.onto.ne(0), () => place, 0)
        place.set(sums.at(j).add(held))
      })
  })
}
