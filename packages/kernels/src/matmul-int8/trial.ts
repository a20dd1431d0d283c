import type { HostOptions, Runtime } from '../host'
import { placed } from '../matmul/views'
import { packBytes } from '../quant/pack'
import type { Trial } from '../verdicts'
import type { MatmulInt8Choice } from './choose'
import { matmulInt8Reference } from './reference'
import { runBytes } from './run'

/** Past a tile on each side, and no multiple of a load. */
const SIZES = { m: 131, n: 139, k: 77 }

/** What `verify: true` asks of a kernel by subgroup matrices: a product of odd sizes over all bytes, which has to be exact. */
export async function bytesTrial(
  runtime: Runtime,
  { transposeA, transposeB }: { readonly transposeA: boolean; readonly transposeB: boolean },
  { kernel }: MatmulInt8Choice,
  options: Pick<HostOptions, 'kernels'>,
): Promise<Trial> {
  const { m, n, k } = SIZES
  const values = (seed: number, count: number) => Int8Array.from({ length: count }, (_, i) => i * 89 + seed)
  const [x, y] = [values(1, m * k), values(2, k * n)]
  const [rowsA, colsA] = transposeA ? [k, m] : [m, k]
  const [rowsB, colsB] = transposeB ? [n, k] : [k, n]
  using a = runtime.buffer(packBytes(x, rowsA, colsA))
  using b = runtime.buffer(packBytes(y, rowsB, colsB))
  using c = runtime.buffer(new Int32Array(m * n).fill(-1))
  const bytes = (name: string, data: typeof a, rows: number, cols: number) =>
    placed('trial', name, { data, row: Math.ceil(cols / 4) * 4 }, rows, cols)
  const product = {
    ...{ ...SIZES, batch: 1, transposeA, transposeB, accumulate: false },
    ...{ a: bytes('a', a, rowsA, colsA), b: bytes('b', b, rowsB, colsB), c: placed('trial', 'c', c, m, n) },
  }
  const alignment = runtime.info.limits.minStorageBufferOffsetAlignment ?? 256
  const chunk = { z: [0, 1], i: [0, m], j: [0, n], alignment, sizes: { ...SIZES, batch: 1 } } as const
  const whole = { kernel, byMatrices: true, splits: 1, span: 128 }
  await runBytes(runtime, product, { chunk, overK: [0, k], onto: false }, whole, options)
  const expected = matmulInt8Reference({ a: x, b: y, ...SIZES, transposeA, transposeB })
  return { got: await c.read(Int32Array), expected, bound: () => 0 }
}
