import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/matmul-int8'
import { canRun, type FastDevice, isFilledBy, partsOf } from '../matmul-fast/choose'
import { type BytesForm, bytesName, dotsName, TILES } from './options'

export interface MatmulInt8Problem {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
}

export interface MatmulInt8Choice {
  readonly kernel: CompiledKernel
  /**
   * Whether it is by subgroup matrices: a is m × k and b n × k then, whatever they are in memory, in rows of 16 bytes each; rows of c are of
   * four sums.
   */
  readonly byMatrices: boolean
  /** Parts of k that are summed side by side, and how long they are. */
  readonly splits: number
  readonly span: number
}

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>

/** With fewer rows or columns most of a tile is empty; with 32 rows of 4096² matrices still take 24 µs on an H200, and dot products 44. */
const LEAST_SIDE = 16
/** With less of k most of a matrix would be, which is 32 deep. */
const LEAST_DEPTH = 16

/**
 * The kernel for a product of bytes, from its sizes and, where it is given, the device: by subgroup matrices where there are those of
 * i8 → i32, by dot products otherwise; in parts of k where there are few tiles of a long one. Pure.
 */
export function chooseMatmulInt8(problem: MatmulInt8Problem, device?: FastDevice): MatmulInt8Choice {
  const { m, n, k, transposeA, transposeB } = problem
  const isFast = device !== undefined && !device.software && k > 0
  const form: BytesForm = isFilledBy(problem, TILES.i8) ? 'i8' : 'i8_small'
  const matrices = KERNELS[bytesName(form)]
  const isLarge = Math.min(m, n) >= LEAST_SIDE && k >= LEAST_DEPTH
  if (isFast && isLarge && matrices && canRun(matrices, device, 'i8 i32 16x16x32'))
    return { kernel: matrices, byMatrices: true, ...partsOf(problem, TILES[form]) }
  const kernel = KERNELS[dotsName(transposeA, transposeB)] as CompiledKernel
  return { kernel, byMatrices: false, ...(isFast ? partsOf(problem, TILES.dots) : { splits: 1, span: k }) }
}
