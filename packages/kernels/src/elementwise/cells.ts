import { type Builder, d, type Expr, f16, f32, fn, u32 } from '@weft/dsl'
import { halvesOf, PAIR, pairOf } from '../parts/pairs'

/** How a flat kernel goes over its elements: many of them on their way at once, and f16 by words of two. */

/** What a buffer holds. Of f16 the function sees f32, rounded when it is stored; a bool is a u32: 0, or anything else. */
export type Element = 'f32' | 'f16' | 'i32' | 'u32' | 'bool'

export const SCHEMAS = { f32: d.f32, f16: d.f16, i32: d.i32, u32: d.u32, bool: d.u32 } as const

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>

export interface Loaded {
  at(i: U32): F32
}
/** An output; with words it can be read. */
export interface Stored {
  at(i: U32): U32 & { set(value: unknown): void }
}

/** An element as the function sees it. */
export const load = (element: Element, value: F32): unknown =>
  element === 'f16' ? f32(value) : element === 'bool' ? value.ne(0) : value

/** What the function gives, as an element. */
export const store = (element: Element, value: unknown): unknown =>
  element === 'f16' ? f16(value as F32) : element === 'bool' ? u32(value as Expr<'bool'>) : value

export const WORKGROUP = 256

/** What an invocation reads and writes at a time: a cell. */
export interface Cells {
  /** Elements of a cell: one, or two f16 in a word. */
  readonly lanes: 1 | 2
  /** Cells of an invocation that are on their way together; neighbours take neighbours. */
  readonly several: number
  readonly schema: (element: Element) => typeof d.f32
}

const single = (several: number): Cells => ({
  ...{ lanes: 1, several },
  schema: (element) => SCHEMAS[element] as typeof d.f32,
})

const WORDS: Cells = { lanes: 2, several: 8, schema: () => PAIR }

/** An element, by itself. */
export const SINGLE = single(1)

/**
 * The cells for arrays of such elements. On an H200, over 128 M elements, by hand, in GB/s with so many cells (a copy of as many bytes has 4,175, of
 * f16 4,080):
 *
 *                    4       5       6       7       8      12
 *     gelu f32   4,051   4,149   4,100   4,067   4,023           vec4f 4,143; one element 0.54 of a copy
 *     add f32    4,326   4,307   4,297   4,286   4,274           vec4f 4,324
 *     gelu f16   3,436   3,545   3,627   3,807   3,890   3,846   four vec4h 3,993; sixteen single ones 3,439
 *     add f16    4,141   4,208   4,237   4,221   4,223   4,163   four vec4h 4,188; sixteen single ones 3,689
 *     f32 to f16                                 4,216           sixteen 4,159
 *
 * As they are written here: 4,156 and 4,311, 3,886 and 4,184; add of f16 3,897 where a word of each input is read in turn. The test for ∞ costs nothing.
 * Vectors of four would leave elements behind the last whole one, for which there would have to be a second kernel. Tried as well: workgroups of
 * 64 and 128 (as fast) and 512 (slower); neighbours for an invocation, of f32 0.4, of f16 0.7 of this; vec2h, add 3,669; a test for each
 * cell 0.74.
 */
export const cellsOf = (elements: readonly Element[]): Cells =>
  elements.every((element) => element === 'f16') ? WORDS : single(elements.includes('f16') ? 8 : 5)

interface Flat {
  readonly n: U32
  readonly cells: Cells
  readonly ins: readonly Element[]
  readonly outs: readonly Element[]
  readonly names: readonly string[]
  readonly inputs: readonly Loaded[]
  readonly outputs: readonly Stored[]
  readonly compute: (index: U32, elements: readonly F32[]) => readonly unknown[]
}

export function overCells(k: Builder, flat: Flat): void {
  const { n, inputs, cells } = flat
  const { lanes, several } = cells
  const first = k.let('first', u32`${k.workgroupIndex} * ${WORKGROUP * several} + ${k.localIndex}`)
  k.if(
    first.add((several - 1) * WORKGROUP).lt(lanes === 1 ? n : n.div(lanes)),
    () => atOnce(k, flat, first),
    () =>
      k.range('i', first, lanes === 1 ? n : u32`(${n} + 1) / 2`, WORKGROUP, (i) => {
        const read = inputs.map((input) => input.at(i))
        if (lanes === 1) writeElement(flat, i, read)
        else writeWord(k, flat, i, read, 'rest')
      }),
  )
}

/** Reads all cells of an invocation before it writes the first one. */
function atOnce(k: Builder, flat: Flat, first: U32): void {
  const { cells, ins, names, inputs } = flat
  const { lanes, several } = cells
  const held = ins.map((element, at) => k.var(`${names[at]}_held`, d.arrayOf(cells.schema(element), several)))
  const loads = held.map((values, at) => (j: U32, i: U32) => values.at(j).set((inputs[at] as Loaded).at(i)))
  // one input after the other where they are words: see `cellsOf`
  for (const together of lanes === 1 ? [loads] : loads.map((one) => [one]))
    if (together.length > 0)
      k.range('j', 0, several, (j) => {
        const i = k.let('i', first.add(j.mul(WORKGROUP)))
        for (const one of together) one(j, i)
      })
  k.range('j', 0, several, (j) => {
    const i = k.let('i', first.add(j.mul(WORKGROUP)))
    const read = held.map((values) => values.at(j))
    if (lanes === 1) writeElement(flat, i, read)
    else writeWord(k, flat, i, read, 'whole')
  })
}

function writeElement({ ins, outs, outputs, compute }: Flat, i: U32, elements: readonly F32[]): void {
  const results = compute(
    i,
    elements.map((value, at) => load(ins[at] as Element, value) as F32),
  )
  outs.forEach((element, at) => {
    outputs[at]?.at(i).set(store(element, results[at]))
  })
}

/** Two elements. Of the `rest` the second may not be there, where somebody else's may lie: what there is of its half of the word stays. */
function writeWord(k: Builder, flat: Flat, i: U32, words: readonly F32[], which: 'whole' | 'rest'): void {
  const { n, names, outputs, compute } = flat
  const both = words.map((word, at) => halvesOf(k.let(`${names[at]}_pair`, word)))
  const second = k.let('second', u32`2 * ${i} + 1`)
  const low = compute(
    k.let('index', u32`2 * ${i}`),
    both.map(([x]) => x),
  )
  const high = compute(
    second,
    both.map(([, y]) => y),
  )
  outputs.forEach((output, at) => {
    const out = output.at(i)
    const word = pairOf(low[at] as F32, high[at] as F32)
    if (which === 'whole') out.set(word)
    else out.set(k.when(second.ge(n), () => fn.insertBits(out, word, 0, 16), word))
  })
}
