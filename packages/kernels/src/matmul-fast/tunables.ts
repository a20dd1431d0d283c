import type { Content, Tunable } from '@weft/codegen/tools'
import type { Storage } from '../parts/storage'
import { blockedMatmul } from './blocks'
import { blockOf, formOf } from './choose'
import { matrixMatmul, tileBytes } from './matrices'
import { BLOCKS, type Block, blockName, FEW, matrixName } from './options'

/**
 * What of a product in tiles can be chosen, for `weft tune`: the sides of a tile, and those of the block of an invocation or a subgroup. Of
 * the pairs of transposes a · b alone is measured: what is transposed changes how tiles are filled, and not which tile is the best.
 */

export type TileChoices = {
  readonly tileM: number
  readonly tileN: number
  readonly depth: number
  readonly rows: number
  readonly cols: number
  /** How many invocations or subgroups share a block. */
  readonly slices: number
}
export type MatmulSizes = { readonly m: number; readonly n: number; readonly k: number }

type MatmulTunable = Tunable<TileChoices, MatmulSizes>

const nameOf = ({ tileM, tileN, depth, rows, cols, slices }: TileChoices): string =>
  `${tileM}x${tileN}x${depth}_${rows}x${cols}${slices > 1 ? `_${slices}` : ''}`
const tilesOf = ({ tileM, tileN, depth, rows, cols }: TileChoices) =>
  ({ tile: [tileM, tileN, depth], block: [rows, cols] }) as const

const choices = (
  tile: readonly [m: number, n: number, depth: number],
  block: readonly [number, number],
  slices = 1,
) => {
  const [[tileM, tileN, depth], [rows, cols]] = [tile, block]
  return { tileM, tileN, depth, rows, cols, slices }
}

/** The kernels that ship. */
const BLOCK_CHOICES = {
  128: choices([128, 128, 16], [8, 16]),
  64: choices([64, 64, 16], [8, 8]),
  32: choices([32, 32, 32], [4, 4], 4),
} as const satisfies Record<Block, TileChoices>
const FORM_CHOICES = {
  f16: choices([128, 128, 32], [64, 64]),
  f16_small: choices([64, 64, 64], [32, 32]),
  f16_few: choices([FEW.rows, FEW.cols, 128], [32, 32], 4),
} as const

/** They go by their own names. */
const SHIPPED: ReadonlyMap<string, string> = new Map([
  ...BLOCKS.map((block) => [nameOf(BLOCK_CHOICES[block]), blockName(block)] as const),
  ...(['f16', 'f16_small', 'f16_few'] as const).map(
    (form) => [nameOf(FORM_CHOICES[form]), matrixName(false, false, form)] as const,
  ),
])

const shape = (m: number, n = m, k = m): MatmulSizes => ({ m, n, k })

/** Half a step of f16, and of its least subnormal number. */
const HALF = { rel: 2 ** -11, abs: 2 ** -25 } as const

/** The result and nothing after it: epilogues take the same time whatever the tile. */
const problemOf =
  (type: Storage): MatmulTunable['problem'] =>
  ({ m, n, k }) => {
    const random = (length: number, seed: number): Content => ({ type, length, fill: 'random', seed })
    const unread: Content = { type, length: 8, fill: 'zeros' }
    const operands = { a_offset: 0, a_row: k, a_batch: 0, b_offset: 0, b_row: n, b_batch: 0 }
    const sizes = { m, n, k, batch: 1, splits: 1, span: k, alpha: 1, c_offset: 0, c_row: n, c_batch: 0 }
    const nothing = {
      ...{ activation: 0, with_bias: 0, bias_offset: 0 },
      ...{ with_residual: 0, residual_offset: 0, residual_row: 0, residual_batch: 0 },
    }
    return {
      bindings: {
        ...{ a: random(m * k, 1), b: random(k * n, 2), c: { type, length: m * n } },
        ...(type === 'f16' ? { bias: unread, residual: unread } : {}),
      },
      params: { ...sizes, ...operands, ...(type === 'f16' ? nothing : { transposed: 0 }) },
      work: { operations: 2 * m * n * k },
      expected: ({ a, b }, i) => expectedOf(type, k, (kk) => a!(Math.floor(i / n) * k + kk) * b!(kk * n + (i % n))),
    }
  }

/** A sum of products, and a step of f32 for each of them, relative to the sum of their magnitudes (Higham, 2002, §3.1). */
function expectedOf(type: Storage, k: number, term: (kk: number) => number) {
  let [value, size] = [0, 0]
  for (let kk = 0; kk < k; kk++) {
    const product = term(kk)
    value += product
    size += Math.abs(product)
  }
  const bound = (k + 4) * 2 ** -23 * size
  return { value, bound: type === 'f16' ? bound + HALF.rel * (Math.abs(value) + bound) + HALF.abs : bound }
}

/** Why so many invocations do not make a workgroup that loads of so many elements can be shared out to, or true. */
function invocations(threads: number, { tileM, tileN, depth }: TileChoices, wide: number): true | string {
  if (threads < 64 || threads > 256) return 'fewer than 64 or more than 256 invocations'
  const loads = [tileM, tileN].map((side) => (side * depth) / wide / threads)
  return loads.every(Number.isInteger) || 'invocations would not have as many loads each'
}

/** Products in blocks of registers. */
export const matmulBlocks: MatmulTunable = {
  kind: 'tunable',
  family: 'matmul',
  type: 'f32',
  space: {
    tileM: [128, 64, 32],
    tileN: [128, 64, 32],
    depth: [16, 32],
    rows: [8, 4],
    cols: [16, 8, 4],
    slices: [1, 4],
  },
  shapes: [512, 1024, 2048, 4096].map((size) => shape(size)),
  trials: [shape(67, 132, 36)],
  incumbent: (sizes) => BLOCK_CHOICES[blockOf({ ...sizes, batch: 1 })],
  feasible: (choices) => {
    const [down, across] = [choices.tileM / choices.rows, choices.tileN / choices.cols]
    if (down % 8 || across % 8 || down > choices.depth) return 'invocations in another order than the kernel has'
    if (choices.tileM !== choices.tileN && 2 * choices.tileM !== choices.tileN && choices.tileM !== 2 * choices.tileN)
      return 'tiles that are longer than twice their width'
    if (choices.slices > 1 && (choices.rows * choices.cols > 16 || choices.tileN > choices.depth))
      return 'more sums than a tile has room for'
    return invocations(down * across * choices.slices, choices, 4)
  },
  kernel: (choices) =>
    blockedMatmul(SHIPPED.get(nameOf(choices)) ?? `matmul_block_${nameOf(choices)}`, {
      ...tilesOf(choices),
      slices: choices.slices,
    }),
  problem: problemOf('f32'),
}

const HALVES = { component: 'f16', sums: 'f32', result: 'f16' } as const
/** Bytes of workgroup memory. */
const MOST_MEMORY = 49_152

/** Products of subgroup matrices. */
export const matmulMatrices: MatmulTunable = {
  kind: 'tunable',
  family: 'matmul',
  type: 'f16',
  space: {
    tileM: [128, 64, 32],
    tileN: [128, 64],
    depth: [128, 64, 32],
    rows: [64, 32],
    cols: [64, 32],
    slices: [1, 4],
  },
  shapes: [512, 1024, 2048, 4096].map((size) => shape(size)),
  trials: [shape(67, 72, 40)],
  incumbent: (sizes) => FORM_CHOICES[formOf({ ...sizes, batch: 1 }, true)],
  feasible: (choices) => {
    const { tileM, tileN, depth, rows, cols, slices } = choices
    if (tileM < rows) return 'blocks that are larger than a tile'
    if (tileBytes({ ...HALVES, ...tilesOf(choices), slices }) > MOST_MEMORY) return 'more memory than a workgroup has'
    if (slices > 1 && depth / slices < 32) return 'slices of one matrix'
    return invocations((tileM / rows) * (tileN / cols) * 32 * slices, choices, 8)
  },
  kernel: (choices) => {
    const name = SHIPPED.get(nameOf(choices)) ?? `matmul_matrix_nn_${nameOf(choices)}`
    return matrixMatmul(name, { ...HALVES, ...tilesOf(choices), slices: choices.slices })
  },
  problem: problemOf('f16'),
}

/** Long and short sides, short and long sums: where the kernels that ship change places. */
const SIZES = [
  ...[256, 384, 512, 768, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096].map((size) => shape(size)),
  ...[256, 512, 1024].map((rows) => shape(rows, 4096, 4096)),
  ...[shape(4096, 1024, 1024), shape(2048, 2048, 512), shape(1024, 1024, 4096), shape(4096, 4096, 1024)],
]

const shipping = (tunable: MatmulTunable): MatmulTunable => ({
  ...tunable,
  shapes: SIZES,
  feasible: (choices) => SHIPPED.has(nameOf(choices)) || 'a kernel that does not ship',
})

/** The same of the kernels that ship alone: what `packages/kernels/tuned` holds. */
export const matmulShipped: readonly MatmulTunable[] = [shipping(matmulBlocks), shipping(matmulMatrices)]
