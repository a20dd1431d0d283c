import { matmul_serial } from '../../generated/matmul'
import { type BufferLike, bytesOf, type Runtime } from '../host'
import type { Storage } from '../parts/storage'
import { type Placed, reach } from './views'

/** What decides whether `matmul_serial` can compute a product. */
export interface DenseProblem {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly type: Storage
  readonly activation: string
  readonly bias: BufferLike | null
  readonly residual: Placed | null
  readonly a: Placed
  readonly b: Placed
  readonly c: Placed
}

/** Below it the blocks of `matmul_serial` leave cores idle, and its compilation costs more than a product. */
const LEAST = 64
/** Its workgroups of six rows are counted along y. */
const MOST_ROWS = 6 * 65_535

/**
 * The kernel and its numbers where the adapter computes on the CPU and the product is one of dense f32 matrices in rows of vec4f that
 * a binding of `limit` bytes holds; null for every other. Pure.
 */
export function chooseSerial(
  problem: DenseProblem,
  { software, backend }: Pick<Runtime['info'], 'software' | 'backend'>,
  limit: number,
) {
  const { m, n, k, a, b, c, transposeA, transposeB, type, bias, residual, activation } = problem
  if (!software || backend !== 'webgpu' || type !== 'f32' || problem.batch !== 1 || transposeA || transposeB)
    return null
  if (bias || residual || activation !== 'none' || Math.min(m, n, k) < LEAST || m > MOST_ROWS) return null
  const dense = (p: Placed): boolean =>
    p.offset === 0 && p.row === p.cols && p.cols % 4 === 0 && 4 * reach(p, 1) <= limit && bytesOf(p.data) % 16 === 0
  return [a, b, c].every(dense) ? { kernel: matmul_serial, sizes: { m, n_quads: n / 4, k_quads: k / 4 } } : null
}
