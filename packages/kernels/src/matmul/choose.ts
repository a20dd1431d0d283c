import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/matmul'
import { chooseFast, type FastChoice, type FastDevice } from '../matmul-fast/choose'
import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'
import { type Few, gemvName, type MatmulForm, matmulName } from './options'

export interface MatmulProblem {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly type: Storage
  readonly sums?: Storage | undefined
  /** Whether a bias, an activation or a residual follows. */
  readonly epilogue: boolean
}

export interface MatmulChoice {
  /** `fast`: by a kernel of matmul-fast; `rows`: few rows of a; `columns`: few columns of b, as the rows of the transposed product. */
  readonly way: 'fast' | 'tiled' | 'split' | 'rows' | 'columns'
  readonly kernel: CompiledKernel
  /** Parts of k that are summed side by side; 1 unless `split`. */
  readonly splits: number
  /** Of `rows` and `columns`: how many of them the kernel takes at once, and whether the many ones lie along k. */
  readonly few?: { readonly rows: Few; readonly transposed: boolean }
  /** Of `fast`: how to run it. */
  readonly fast?: FastChoice
}

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>
const tiled = (transposeA: boolean, transposeB: boolean, form: MatmulForm, type: Storage): CompiledKernel =>
  KERNELS[matmulName(transposeA, transposeB, form, type)] as CompiledKernel
const gemv = (transposeB: boolean, rows: Few, type: Storage): CompiledKernel =>
  KERNELS[gemvName(transposeB, rows, type)] as CompiledKernel

/** So many workgroups keep a large GPU busy; with fewer tiles than half of it, k is split. */
const BUSY = 128
/** A part of k is worth its partial sums from this length on. */
const LEAST_SPAN = 256
const TILE = 64
const MOST_FEW = 8

const few = (rows: number): Few => (rows <= 1 ? 1 : rows <= 4 ? 4 : 8)

/** The kernel for a product, from its sizes and, where they are given, the device and what was measured on it. Pure: the same problem, the same choice. */
export function chooseMatmul(problem: MatmulProblem, device?: FastDevice, tuning?: Tuning): MatmulChoice {
  const { m, n, k, batch, transposeA, transposeB, type, epilogue } = problem
  const ofFew = (rows: Few, transposed: boolean) => ({
    kernel: gemv(transposed, rows, type),
    splits: 1,
    few: { rows, transposed },
  })
  if (m <= MOST_FEW && m <= n) return { way: 'rows', ...ofFew(few(m), transposeB) }
  // cᵀ = bᵀ · aᵀ: what was a is now read once, so its order in memory says which kernel
  if (n <= MOST_FEW) return { way: 'columns', ...ofFew(few(n), !transposeA) }
  const fast = device && chooseFast(problem, device, tuning)
  if (fast) return { way: 'fast', kernel: fast.kernel, splits: fast.splits, fast }
  const tiles = Math.ceil(m / TILE) * Math.ceil(n / TILE) * batch
  const splits = Math.min(Math.floor(BUSY / tiles), Math.floor(k / LEAST_SPAN))
  if (splits >= 2) return { way: 'split', kernel: splitKernel({ transposeA, transposeB, type }), splits }
  return { way: 'tiled', kernel: tiled(transposeA, transposeB, epilogue ? 'epilogue' : 'plain', type), splits: 1 }
}

/** The kernel that sums over a part of k, and the one that joins the sums. */
export const splitKernel = ({
  transposeA,
  transposeB,
  type,
}: Pick<MatmulProblem, 'transposeA' | 'transposeB' | 'type'>): CompiledKernel =>
  tiled(transposeA, transposeB, 'split', type)
export const joinKernel = (type: Storage): CompiledKernel => (type === 'f16' ? g.matmul_reduce_f16 : g.matmul_reduce)
