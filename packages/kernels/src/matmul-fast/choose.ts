import type { CompiledKernel } from '@weft/codegen'
import type { RuntimeInfo } from '@weft/runtime'
import * as g from '../../generated/matmul-fast'
import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'
import { BLOCKS, type Block, blockName, FEW, type MatrixForm, matrixName, WHOLE, wholeName } from './options'

/** What of a device decides. */
export type FastDevice = Pick<RuntimeInfo, 'software' | 'features' | 'languageFeatures' | 'subgroupMatrices' | 'limits'>

export interface FastProblem {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly type: Storage
  /** Of f16: in what products are summed; f32 when left out. */
  readonly sums?: Storage | undefined
}

export interface FastChoice {
  readonly kernel: CompiledKernel
  /** Adds up parts of k, or all of it for a c whose rows are no whole words: f32 sums, for matmul_reduce to join. */
  readonly parts: CompiledKernel
  /** Elements of a load: where operands and their rows begin must be multiples of it; for c, of 4. */
  readonly wide: 4 | 8
  /** Whether `kernel` does no more than multiply by alpha; what else follows is done when sums are joined. */
  readonly isPlain: boolean
  /** Whether the kernel is told what is transposed: it is made for one form otherwise. */
  readonly transposes: boolean
  /** Whether the kernel is for whole tiles alone, of the sides and the depth of `WHOLE`. */
  readonly isWhole: boolean
  /** In what `kernel` sums. */
  readonly sums: Storage
  /** Parts of k that are summed side by side, and how long they are. */
  readonly splits: number
  readonly span: number
}

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>

/** So many workgroups fill a large GPU. */
const FULL = 192
/** So many of them, where k is in parts anyway. */
const FULL_OF_PARTS = 512
/** So many of them, where subgroups of each share k. */
const FULL_OF_FEW = 128
/** A part of k is worth its partial sums from this length on; a k from this one on even where tiles are enough, if they are small. */
const LEAST_SPAN = 256
const LONG = 1024

type Sizes = Pick<FastProblem, 'm' | 'n' | 'k' | 'batch'>

const tilesOf = ({ m, n, batch }: Sizes, tile: number): number => Math.ceil(m / tile) * Math.ceil(n / tile) * batch

/** Whether there are so many tiles of a size that they fill a large GPU. */
export const isFilledBy = (problem: Sizes, tile: number): boolean => tilesOf(problem, tile) >= FULL

/**
 * The fast kernel for a product on a device, or undefined where there is none: on adapters that compute on the CPU, for sums that are empty,
 * and for f16 without subgroup matrices. What was measured counts more than the rule. Pure.
 */
export function chooseFast(problem: FastProblem, device: FastDevice, tuning?: Tuning): FastChoice | undefined {
  const { m, n, k, type } = problem
  if (device.software || m === 0 || n === 0 || k === 0) return undefined
  return type === 'f16' ? byMatrices(problem, device, tuning) : inBlocks(problem, tuning)
}

/** Which of some kinds of kernels was measured to be the fastest for a product as one piece, on this device or one like it. */
function measured<Kind>(
  tuning: Tuning | undefined,
  { type, m, n, k, batch }: FastProblem,
  kinds: readonly Kind[],
  nameOf: (kind: Kind) => string,
): Kind | undefined {
  // the matrices of a batch keep a device as busy as one that is so much taller
  const name = tuning?.find('matmul', type, { m: m * batch, n, k }, kinds.map(nameOf))
  return kinds.find((kind) => nameOf(kind) === name)
}

function inBlocks(problem: FastProblem, tuning: Tuning | undefined): FastChoice {
  const rule = blockOf(problem)
  const parts = partsOf(problem, rule, rule === 64 ? 2 : 1)
  // parts of k go with the tile of the rule
  const tile = (parts.splits === 1 ? measured(tuning, problem, BLOCKS, blockName) : undefined) ?? rule
  const whole = tile === WHOLE.side && parts.splits === 1 ? wholeOf(problem) : undefined
  const kernel = whole ?? (KERNELS[blockName(tile)] as CompiledKernel)
  const more = { wide: 4, isPlain: true, transposes: !whole, isWhole: whole !== undefined, sums: 'f32' } as const
  return { kernel, parts: kernel, ...more, ...parts }
}

/** The kernel for whole tiles, where all of them are and no more than one operand is transposed. */
function wholeOf({ m, n, k, transposeA, transposeB }: FastProblem): CompiledKernel | undefined {
  const isWhole = m % WHOLE.side === 0 && n % WHOLE.side === 0 && k % WHOLE.depth === 0
  return isWhole ? KERNELS[wholeName(transposeA, transposeB)] : undefined
}

/** The largest tile of which there are enough, or of which parts of a long k make enough. */
export function blockOf(problem: Sizes): Block {
  const enough = BLOCKS.find((tile) => isFilledBy(problem, tile))
  const isNarrow = Math.min(problem.m, problem.n) <= 32
  const inParts = tilesOf(problem, 64) * Math.floor(problem.k / LEAST_SPAN) >= FULL
  return enough !== 128 && enough !== 64 && inParts && !isNarrow ? 64 : (enough ?? 32)
}

function byMatrices(problem: FastProblem, device: FastDevice, tuning: Tuning | undefined): FastChoice | undefined {
  const { transposeA, transposeB } = problem
  const of = (form: MatrixForm) => KERNELS[matrixName(transposeA, transposeB, form)]
  const [large, small, split] = [of('f16'), of('f16_small'), of('f16_split')]
  if (!large || !small || !split || !canRun(large, device)) return undefined
  const few = of('f16_few')
  const isFew = few !== undefined && canRun(few, device)
  const rule = formOf(problem, isFew)
  const parts = rule === 'f16_few' ? partsOfFew(problem) : partsOf(problem, rule === 'f16' ? 128 : 64)
  // what is transposed changes how tiles are filled and not which is the best, so a · b is measured for all
  const named = (form: MatrixForm) => matrixName(false, false, form)
  const kinds = ['f16', 'f16_small', ...(isFew ? (['f16_few'] as const) : [])] as const
  const form = (parts.splits === 1 ? measured(tuning, problem, kinds, named) : undefined) ?? rule
  const half = problem.sums === 'f16' ? of('f16_sums') : undefined
  const largest = half && canRun(half, device, 'f16 f16 16x16x16') ? half : large
  const kernels = { f16: largest, f16_small: small, f16_few: few as CompiledKernel }
  const summing = form === 'f16_few' ? (of('f16_few_split') as CompiledKernel) : split
  const kernel = kernels[form]
  const more = { wide: 8, isPlain: false, transposes: false, isWhole: false } as const
  return { kernel, parts: summing, ...more, sums: kernel === half ? 'f16' : 'f32', ...parts }
}

/** The form of the tiles of which there are enough; `isFew`: whether subgroups can share k. */
export function formOf(problem: Sizes, isFew: boolean): 'f16' | 'f16_small' | 'f16_few' {
  if (isFew && leavesRoom(problem)) return 'f16_few'
  return isFilledBy(problem, 128) ? 'f16' : 'f16_small'
}

/**
 * Whether a product leaves so much of a large GPU without a tile of 64 × 64 that k is better shared within workgroups: with few rows or columns, and
 * where the way along k is short. A longer one goes in parts, side by side.
 */
const leavesRoom = (problem: Sizes): boolean =>
  tilesOf(problem, 64) < FULL_OF_FEW && (Math.min(problem.m, problem.n) <= 2 * FEW.rows || problem.k <= LONG)

/** Parts of k for a workgroup on each multiprocessor. */
function partsOfFew(problem: Sizes): Pick<FastChoice, 'splits' | 'span'> {
  const { m, n, k, batch } = problem
  const tiles = Math.ceil(m / FEW.rows) * Math.ceil(n / FEW.cols) * batch
  const most = Math.min(Math.round(FULL_OF_FEW / tiles), Math.floor(k / LEAST_SPAN))
  const span = Math.ceil(k / Math.max(1, most) / 128) * 128
  return { splits: Math.ceil(k / span), span }
}

/**
 * Parts of k, so that there are enough workgroups, where k is long enough; a part is a whole number of the deepest tile. `filled`: parts of a
 * long k where there are enough without them, which are done more evenly: on an H200, two of 1,536³ in tiles of 64 take 208 µs, not 233.
 */
export function partsOf(problem: Sizes, tile: number, filled = 1): Pick<FastChoice, 'splits' | 'span'> {
  const { k } = problem
  const most = Math.min(Math.ceil(FULL_OF_PARTS / tilesOf(problem, tile)), Math.floor(k / LEAST_SPAN))
  const parts = isFilledBy(problem, tile) ? (k >= LONG ? filled : 1) : Math.max(1, most)
  const span = Math.ceil(k / parts / 64) * 64
  return { splits: Math.ceil(k / span), span }
}

/** Whether a device has all that a kernel of subgroup matrices needs, which are of 16 × 16, with subgroups of 32 or less. */
export function canRun(kernel: CompiledKernel, device: FastDevice, matrices = 'f16 f32 16x16x16'): boolean {
  const most = device.limits.maxSubgroupSize ?? Infinity
  if (most > 32 || !device.subgroupMatrices.includes(matrices)) return false
  return kernel.variants.some(({ needs }) => {
    const features = needs.features.every((name) => device.features.includes(name))
    const language = needs.languageFeatures.every((name) => device.languageFeatures.includes(name))
    return (
      features && language && Object.entries(needs.limits).every(([name, least]) => (device.limits[name] ?? 0) >= least)
    )
  })
}

export const alignKernel = (type: Storage): CompiledKernel => (type === 'f16' ? g.matmul_align_f16 : g.matmul_align)
