import type { CompiledKernel } from '@weft/codegen'
import type { BufferLike, HostOptions, Runtime } from '../host'
import { fromHalf, toHalf } from '../parts/half'
import type { Storage } from '../parts/storage'
import { type Trial, trialValues, trusted } from '../verify'
import type { AttentionForwardArgs } from './host'
import { attentionForwardReference } from './reference'

/** More than a tile of queries and of keys, no multiple of any, and two query heads for one of keys. */
const SIZES = { batch: 1, heads: 2, kvHeads: 1, queries: 69, keys: 83, causal: true } as const

/**
 * How far an output may be off for |q|, |k|, |v| ≤ 1 and scale 1/√d. A score is a product of d terms, each off by a step of 2⁻²³ where
 * matrix units cut sums off; a weight e^s is off by the error of its score and that of exp, an output is a mean of values by weights. With
 * f16, weights are rounded to f16, and so is the output.
 */
function boundOf(type: Storage, headSize: number): number {
  const score = (headSize + 4) * 2 ** -23 * Math.sqrt(headSize)
  const sums = (SIZES.keys + 4) * 2 ** -23
  return 2 * (score + sums) + 2 ** -16 + (type === 'f16' ? 2 ** -10 : 0)
}

/** Whether a fast kernel is right on the device, as it is known or as a small problem shows that it alone computes. */
export const passes = (
  runtime: Runtime,
  kernel: CompiledKernel,
  { headSize, type }: { readonly headSize: number; readonly type: Storage },
  options: HostOptions,
  attention: (runtime: Runtime, args: AttentionForwardArgs, options: HostOptions) => Promise<void>,
): Promise<boolean> =>
  trusted(runtime, kernel, async () => {
    let used = false
    const kernels = (name: string): CompiledKernel | undefined => {
      used ||= name === kernel.name
      return name === kernel.name ? kernel : options.kernels?.(name)
    }
    const trial = await attentionTrial(runtime, headSize, type, (args) => attention(runtime, args, { kernels }))
    if (!used) throw new Error('its trial was computed by another kernel')
    return trial
  })

async function attentionTrial(
  runtime: Runtime,
  headSize: number,
  type: Storage,
  run: (args: AttentionForwardArgs) => Promise<void>,
): Promise<Trial> {
  const { heads, kvHeads, queries, keys } = SIZES
  const upload = (values: Float32Array<ArrayBuffer>) =>
    runtime.buffer(type === 'f16' ? Uint16Array.from(values, toHalf) : values)
  const [q, k, v] = [heads * queries, kvHeads * keys, kvHeads * keys].map((rows, i) =>
    trialValues(i + 1, rows * headSize),
  )
  const given = { q, k, v } as Readonly<Record<'q' | 'k' | 'v', Float32Array<ArrayBuffer>>>
  using x = upload(given.q)
  using y = upload(given.k)
  using z = upload(given.v)
  using out = upload(new Float32Array(heads * queries * headSize).fill(Number.NaN))
  const buffers: Readonly<Record<'q' | 'k' | 'v' | 'out', BufferLike>> = { q: x, k: y, v: z, out }
  await run({ ...buffers, ...SIZES, headSize, type })
  const written = (await out.read()) as Float32Array | Uint16Array
  const bound = boundOf(type, headSize)
  return {
    got: written instanceof Uint16Array ? Array.from(written, fromHalf) : written,
    expected: attentionForwardReference({ ...given, ...SIZES, headSize }).out,
    bound: () => bound,
  }
}
