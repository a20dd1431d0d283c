import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { type Eights, eights, loadEight, unpackEight } from '../parts/eights'
import { perLoad } from '../parts/loads'
import { bitsOf, FOUR, headOf, scattered } from '../parts/scatter'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { HELD_CHUNK } from './choose'
import type { FormatView } from './format'
import { exactSum, type Limbs, limbsOf, roundedSum, valueSum } from './limbs'

/**
 * y = x · Wᵀ + bias for one row of x at a time, or two, in integers, W: [n, k] in a format of 4 to 8 bits: an invocation keeps 32 columns of x, in
 * three bytes each (see limbs.ts), and goes down 8 to 32 rows of W with them, four at a time.
 *
 * What limits `matvec1_…_lines` is arithmetic: a weight takes three operations and more to become an f32 and be multiplied. Here four
 * of them are a word after one mask, and three instructions multiply and add them up; x is read and converted once for all rows.
 *
 * Sums of up to 32 products are exact integers, each then becomes f32, times its scale; those of an invocation, and of all of them, are f32.
 * Four lanes share the sums of four rows, and leave them in workgroup memory.
 *
 * On an H200, one row of x in f16, 32,768 × 8192, in GB/s of weights with their scales, each run a pass (a copy has 4,250), lines and bytes: int8
 * 3,440 and 3,660; int4 in groups of 128 2,190 and 3,060 (x in f32 1,440 and 2,960; 131,072 rows 2,610 and 3,970), of 32 2,430 and
 * 3,280; Q4_0 2,010 and 2,850, Q5_0 1,970 and 2,640, Q8_0 2,490 and 3,500, Q4_K 1,890 and 2,550, Q5_K 1,990 and 2,660, Q6_K 2,130 and
 * 2,500. Two rows, by hand, in µs: int4 71, where `matvec4_int4_lines` takes 169, Q4_0 80, Q8_0 93, Q4_K 85, Q6_K 117; without reading
 * ahead 78, 99, 117, 107, 123. Three and four at once took 93 and 128, little less than twice two would. More rows go two at a time: choose.ts has figures.
 *
 * What is left, of int4: 3,510 with the loads alone, which the time of a pass by itself, 6 µs of 46, keeps below a copy; 3,150 without joins. Tried, in
 * parts of 3,060: sums over whole subgroups (0.9), no reading ahead (0.95), eight rows at once (0.9), 64 and 256 invocations (0.92,
 * 0.9), 8, 16 and 64 rows for a workgroup (0.87, 0.97, 0.94), all digits signed (0.98), x in f32 instead of bytes (0.7), x converted by a
 * dispatch of its own and read by lines (0.89). Two digits would be 1.02 of three.
 */

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>
type None = Record<never, never>
/** Rows of x at a time. */
export type Vectors = 1 | 2

const INVOCATIONS = 128
/** Rows of W of a workgroup, at most, and of them those that are read at once. */
const HELD_ROWS = 32
const AT_ONCE = FOUR
/** Invocations that add up what four rows have. */
const JOINING = INVOCATIONS / (HELD_ROWS / AT_ONCE)

const SUBGROUPS = { subgroups: ['subgroups', 'subgroup-id', 'packed-dot'] } as const
/** Two rows of x at a time are for devices that have all of it: others have `matvec4_…_lines`. */
const VARIANTS = { 1: { ...SUBGROUPS, packed: ['packed-dot'], portable: [] }, 2: SUBGROUPS } as const

/** What neighbouring quads of a chunk come to: scale · Σ (q − zero) x − least · Σ x. */
export interface HeldPart {
  /** Left out where a row has one scale, which is multiplied to its sum. */
  readonly scale?: F32
  readonly zero?: Expr<'i32'>
  readonly least?: F32
}

export interface HeldChunk {
  /** A word of four bytes for each quad. */
  readonly bytes: readonly U32[]
  readonly parts: readonly HeldPart[]
}

/** What is read of a row: words, or a scale. */
type Load = Expr<'u32'> | Expr<'vec4u'> | F32

/** Chunk c of any row. */
export interface HeldColumn {
  load(row: U32): readonly Load[]
  /** What was read, as bytes. */
  unpack(loads: readonly Load[], row: U32): HeldChunk
}

/** How an invocation reads 32 values of a row of W. */
export interface HeldFormat {
  readonly name: string
  readonly doc: string
  readonly bindings: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
  /** Whether bytes are signed: from -128 to 127, for 0 to 127. */
  readonly signed?: boolean
  /** Whether sums of a part may pass 2³¹: 32 · |q − zero| is 2⁹ or more. */
  readonly large?: boolean
  /** Quads of the parts. */
  readonly parts: readonly number[]
  /** Whether the next rows are read before the products of these. */
  readonly ahead: boolean
  /** Where in a row the eights of chunk c are, counted in eights. */
  readonly places: (c: U32) => readonly U32[]
  readonly column: (k: Builder, view: FormatView, c: U32) => HeldColumn
  /** One scale for all of a row. */
  readonly rowScale?: (view: FormatView, row: U32) => F32
}

interface View {
  readonly x: Eights
  readonly bias: { at(i: U32): F32 }
  readonly y: { at(i: U32): { set(value: F32): void } }
  readonly m: U32
  readonly n: U32
  readonly k: U32
  readonly with_bias: U32
  readonly rows: U32
}

function declared(format: HeldFormat, storage: Storage, vectors: Vectors): unknown {
  return {
    doc: `y = x · Wᵀ + bias for few rows of x, ${vectors} at a time, in integers; W: [n, k] of ${format.doc}, by so many rows`,
    workgroupSize: [INVOCATIONS],
    bindings: {
      ...format.bindings,
      x: input(eights(storage)),
      bias: input(scalars(storage)),
      y: output(scalars(storage)),
    },
    params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32, ...format.params, rows: d.u32 },
    workgroups: ({ m, n, rows }: Readonly<Record<'m' | 'n' | 'rows', HostNumber>>) => [
      (vectors === 1 ? m : ceilDiv(m, vectors)).mul(ceilDiv(n, rows)),
    ],
    variants: VARIANTS[vectors],
  }
}

/** `rows`, a multiple of 4 up to 32, is how many rows of W a workgroup has. */
export function heldMatvecOf(format: HeldFormat, storage: Storage, vectors: Vectors = 1): KernelSource {
  const decl = declared(format, storage, vectors) as KernelDecl<None, None, None>
  return kernel(named(`matvec${vectors}_${format.name}_held`, storage), decl, (untyped, k) => {
    const view = untyped as unknown as View
    const formatView = untyped as unknown as FormatView
    const { m, n, k: depth, rows } = view
    const { chunks } = k.let({ chunks: depth.div(HELD_CHUNK) })
    const { first, line } = placeOf(k, view, vectors)
    // rows that are not there, of x and of W, are read as the last one: their sums are not stored
    const lines = each(vectors).map((v) => (v === 0 ? line : k.let('line', u32`min(${line} + ${v}, ${m} - 1)`)))
    const sums = lines.map((_, v) => (k.variant === 'subgroups' ? sharedSums(k, v, rows) : ownSums(k, v, rows)))
    k.range('from', 0, chunks, INVOCATIONS, (from) => {
      const mine = from.add(k.localIndex)
      // a chunk that is not there is the last one, and does not count
      const c = k.let('c', u32`min(${mine}, ${chunks} - 1)`)
      const fours = readerOf(k, format.column(k, formatView, c), { first, n, rows }, format.ahead || vectors > 1)
      const places = format.places(c)
      const factors = lines.map((row) => {
        const limbs = limbsOf(k, xQuads(k, view, storage, row, places), mine.lt(chunks), format.signed === true)
        return { limbs, shares: sharesOf(k, format, limbs) }
      })
      k.range('batch', 0, rows.div(AT_ONCE), (batch) => {
        const products = fours(batch).map((unpack) => {
          const { bytes, parts } = unpack()
          const chunk = { bytes: bytes.map((word) => k.let('bytes', word)), parts }
          return factors.map((factor) => k.let('sum_of_row', chunkSum(k, format, chunk, factor)))
        })
        for (const [v, sum] of sums.entries()) sum.add(batch, products.map((of) => of[v]) as unknown as Four, from)
      })
    })
    k.workgroupBarrier()
    for (const [v, sum] of sums.entries()) {
      sum.each((r, total) => {
        const row = k.let('row', first.add(r))
        const there = v === 0 ? row.lt(n) : row.lt(n).and(line.add(v).lt(m))
        k.if(there, () => {
          const scaled = format.rowScale ? total.mul(format.rowScale(formatView, row)) : total
          const bias = k.when(view.with_bias.ne(0), () => read(view.bias.at(row)), 0)
          view.y.at(u32`${lines[v] as U32} * ${n} + ${row}`).set(stored(storage, scaled.add(bias)))
        })
      })
    }
  })
}

/**
 * The first rows of W and of x of a workgroup. Those for the same rows of W follow on each other, where there are several rows of x at a time, and find
 * them in a cache: on an H200, 8 rows of int8, 32,768 × 8192, take 205 µs, and 262 otherwise, of int4 212 and 219.
 */
function placeOf(k: Builder, { m, n, rows }: View, vectors: Vectors): { readonly first: U32; readonly line: U32 } {
  if (vectors === 1) {
    const blocks = k.let('blocks', u32`(${n} + ${rows} - 1) / ${rows}`)
    return k.let({ first: k.workgroupIndex.rem(blocks).mul(rows), line: k.workgroupIndex.div(blocks) })
  }
  const turns = k.let('turns', u32`(${m} + ${vectors - 1}) / ${vectors}`)
  return k.let({ first: k.workgroupIndex.div(turns).mul(rows), line: k.workgroupIndex.rem(turns).mul(vectors) })
}

/** Reads four rows of W, and gives what unpacks each; with `ahead` the next four are on their way meanwhile. */
function readerOf(
  k: Builder,
  column: HeldColumn,
  { first, n, rows }: Readonly<Record<'first' | 'n' | 'rows', U32>>,
  ahead: boolean,
): (batch: U32) => readonly (() => HeldChunk)[] {
  const rowsOf = (batch: U32) =>
    each(AT_ONCE).map((r) => k.let('row', u32`min(${first} + ${batch} * ${AT_ONCE} + ${r}, ${n} - 1)`))
  const next = ahead && rowsOf(u32(0)).map((row) => column.load(row).map((load) => k.var('next', load as U32)))
  return (batch) => {
    const these = rowsOf(batch)
    const loads = these.map((row, r) =>
      (next ? (next[r] ?? []) : column.load(row)).map((load) => k.let('load', load as U32) as Load),
    )
    if (next) {
      const after = rowsOf(k.let('after', u32`min(${batch} + 1, ${rows} / ${AT_ONCE} - 1)`))
      for (const [r, row] of after.entries())
        for (const [i, load] of column.load(row).entries()) next[r]?.[i]?.set(load as U32)
    }
    return these.map((row, r) => () => column.unpack(loads[r] as readonly Load[], row))
  }
}

function xQuads(k: Builder, { x, k: depth }: View, storage: Storage, line: U32, places: readonly U32[]) {
  const start = k.let('x_row', line.mul(depth.div(perLoad(storage))))
  const loads = places.map((place) => loadEight(storage, x, start, place).map((load) => k.let('x_load', load)))
  return loads.flatMap((eight) => unpackEight(storage, eight)).map((quad) => k.let('x_quad', quad))
}

/** What x comes to for each part: Σ v, and Σ x. */
const sharesOf = (k: Builder, { parts }: HeldFormat, limbs: Limbs) =>
  parts.map((quads, p) => {
    const from = parts.slice(0, p).reduce((sum, before) => sum + before, 0)
    const sum = valueSum(k, limbs, from, from + quads)
    return { from, to: from + quads, sum, x: k.let('x_sum', f32(sum).mul(limbs.step)) }
  })

function chunkSum(
  k: Builder,
  { large }: HeldFormat,
  { bytes, parts }: HeldChunk,
  { limbs, shares }: { readonly limbs: Limbs; readonly shares: ReturnType<typeof sharesOf> },
): F32 {
  const terms = parts.map(({ scale, zero }, p) => {
    const { from, to, sum } = shares[p] as (typeof shares)[0]
    const args = [k, bytes.slice(from, to), limbs, from, zero?.mul(sum)] as const
    const product = large ? roundedSum(...args) : f32(exactSum(...args))
    return scale ? scale.mul(product) : product
  })
  const scaled = terms.reduce((a, b) => a.add(b)).mul(limbs.step)
  return parts.reduce(
    (sum, { least }, p) => (least ? sum.sub(least.mul((shares[p] as (typeof shares)[0]).x)) : sum),
    scaled,
  )
}

type Four = readonly [F32, F32, F32, F32]

interface RowSums {
  /** To what there is of four rows from the first round on, which is that of `from` = 0. */
  readonly add: (batch: U32, products: Four, from: U32) => void
  /** The sum of each row, for an invocation each. Behind a barrier. */
  readonly each: (use: (row: U32, total: F32) => void) => void
}

const partOf = (vector: number): string => (vector === 0 ? 'part' : `part${vector}`)

/** Of four rows each lane of four keeps one. */
function sharedSums(k: Builder, vector: number, rows: U32): RowSums {
  const part = k.workgroup(partOf(vector), f32, HELD_ROWS / AT_ONCE, INVOCATIONS)
  const lane = k.subgroupInvocationId
  const bits = bitsOf(k, lane)
  const own = k.let('own', u32`(${k.subgroupId} * ${k.subgroupSize} + ${lane}) % ${INVOCATIONS}`)
  return {
    add: (batch, products, from) => {
      const sum = scattered(k, products, bits, FOUR)
      const before = k.when(from.gt(0), () => part.at(batch, own), 0)
      part.at(batch, own).set(before.add(sum))
    },
    each: (use) => {
      const { batch, j } = k.let({ batch: k.localIndex.div(JOINING), j: k.localIndex.rem(JOINING) })
      k.if(batch.lt(rows.div(AT_ONCE)), () => {
        const some = k.var('some', part.at(batch, j))
        k.range('s', 1, INVOCATIONS / JOINING, (s) => some.addAssign(part.at(batch, u32`${s} * ${JOINING} + ${j}`)))
        part.at(batch, j).set(some)
      })
      k.workgroupBarrier()
      k.if(k.localIndex.lt(rows), () => {
        const { four, lane } = k.let({ four: k.localIndex.div(AT_ONCE), lane: headOf(k.localIndex) })
        const total = k.var('total', part.at(four, lane))
        k.range('s', 1, JOINING / FOUR, (s) => total.addAssign(part.at(four, u32`${s} * ${FOUR} + ${lane}`)))
        use(k.localIndex, total)
      })
    },
  }
}

/** Each invocation keeps what it has of every row. */
function ownSums(k: Builder, vector: number, rows: U32): RowSums {
  const part = k.workgroup(partOf(vector), f32, HELD_ROWS, INVOCATIONS)
  const own = k.localIndex
  return {
    add: (batch, products, from) => {
      for (const [r, product] of products.entries()) {
        const row = u32`${batch} * ${AT_ONCE} + ${r}`
        const before = k.when(from.gt(0), () => part.at(row, own), 0)
        part.at(row, own).set(before.add(product))
      }
    },
    each: (use) =>
      k.if(own.lt(rows), () => {
        const total = k.var('total', f32(0))
        // neighbours begin at other banks of workgroup memory
        k.range('s', 0, INVOCATIONS, (s) => total.addAssign(part.at(own, u32`(${s} + ${own}) % ${INVOCATIONS}`)))
        use(own, total)
      }),
  }
}

/** Kernels over a format, in both storages. */
export const heldKernels =
  (vectors: Vectors) =>
  (format: HeldFormat): readonly KernelSource[] =>
    (['f32', 'f16'] as const).map((storage) => heldMatvecOf(format, storage, vectors))
