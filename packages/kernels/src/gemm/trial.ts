import type { CompiledKernel } from '@weft/codegen'
import type { Runtime } from '../host'
import { fromHalf, toHalf } from '../parts/half'
import type { Tuning } from '../tuning'
import { type Trial, trialValues, trusted } from '../verify'
import type { GemmArgs, GemmOptions } from './host'
import { gemmReference } from './reference'

/** No tile divides them, and each is more than one tile of the smaller kernels. */
const SIZES = { m: 131, n: 139, k: 77 } as const

/** A step of a sum that is cut off instead of rounded, as matrix units do: twice the unit roundoff of f32. */
const STEP = 2 ** -23
/** Of the result as f16: half a step of 11 bits, and of the least subnormal number. */
const HALF = { rel: 2 ** -11, abs: 2 ** -25 } as const

/** What of a product decides which kernel computes it; sizes that are left out are those of large ones. */
export interface TrialProduct extends Required<Pick<GemmArgs, 'transposeA' | 'transposeB' | 'type'>> {
  readonly m?: number
  readonly n?: number
  readonly k?: number
}

/** Whether a kernel is right on the device, as it is known or as a small product shows that it alone computes. */
export const passes = (
  runtime: Runtime,
  kernel: CompiledKernel,
  { transposeA, transposeB, type, m, n, k }: TrialProduct,
  options: GemmOptions,
  gemm: (runtime: Runtime, args: GemmArgs, options: GemmOptions) => Promise<void>,
): Promise<boolean> =>
  trusted(runtime, kernel, async () => {
    let used = false
    const kernels = (name: string): CompiledKernel | undefined => {
      used ||= name === kernel.name
      return name === kernel.name ? kernel : options.kernels?.(name)
    }
    // names of what is measured say 'nn', whatever is transposed here
    const plain = (name: string): string => name.replace(/_[nt]{2}(?=_|$)/, '_nn')
    const itself: Tuning = { find: (_, __, ___, among) => among.find((name) => plain(name) === plain(kernel.name)) }
    const only = { ...options, verify: false, tuning: itself, kernels }
    const sizes = { ...(m !== undefined && { m }), ...(n !== undefined && { n }), ...(k !== undefined && { k }) }
    const trial = await gemmTrial(runtime, { transposeA, transposeB, type, ...sizes }, (args) =>
      gemm(runtime, args, only),
    )
    if (!used) throw new Error(`its trial was computed by another kernel`)
    return trial
  })

/**
 * What `verify: true` asks of a kernel: a product of odd sizes with a bias and a residual, by `run`, beside the reference. Elements may be
 * off by a step for each term, relative to the sum of their magnitudes (Higham, 2002, §3.1).
 */
export async function gemmTrial(
  runtime: Runtime,
  { transposeA, transposeB, type, ...given }: TrialProduct,
  run: (args: GemmArgs) => Promise<void>,
): Promise<Trial> {
  const sizes = { ...SIZES, ...given }
  const { m, n, k } = sizes
  const half = type === 'f16'
  const [a, b, bias, residual] = [
    trialValues(1, m * k),
    trialValues(2, k * n),
    trialValues(3, n),
    trialValues(4, m * n),
  ]
  const upload = (values: Float32Array<ArrayBuffer>) =>
    runtime.buffer(half ? Uint16Array.from([...values, ...(values.length % 2 ? [0] : [])], toHalf) : values)
  using x = upload(a)
  using y = upload(b)
  using z = upload(bias)
  using r = upload(residual)
  // NaN where the kernel writes nothing
  using c = upload(new Float32Array(m * n).fill(Number.NaN))
  const options = { ...sizes, transposeA, transposeB, type, alpha: 0.5 } as const
  await run({ a: x, b: y, c, bias: z, residual: r, ...options })
  const bytes = (await c.read()) as Float32Array | Uint16Array
  const expected = gemmReference({ a, b, bias, residual, ...options })
  const magnitude = gemmReference({
    ...{ a: a.map(Math.abs), b: b.map(Math.abs), bias: bias.map(Math.abs), residual: residual.map(Math.abs) },
    ...options,
  })
  return {
    got: bytes instanceof Uint16Array ? Array.from(bytes, fromHalf) : bytes,
    expected,
    bound: (i) => {
      const sum = (k + 4) * STEP * (magnitude[i] as number)
      return half ? sum + HALF.rel * (Math.abs(expected[i] as number) + sum) + HALF.abs : sum
    },
  }
}
