import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { type GemmArgs, gemm } from '@weft/kernels'
import { gemms } from '@weft/kernels/source'
import { createRuntime } from '@weft/runtime/node'
import { expect, it } from 'vitest'
import { gemmTrial } from '../../packages/kernels/src/gemm/trial.js'

const sources = new Map(gemms.map((source) => [source.name, source]))
const kernels = (name: string) => {
  const source = sources.get(name)
  return source && compile(source)
}

it.each([
  ['f32', false, false],
  ['f32', true, true],
  ['f16', false, true],
  ['f16', true, false],
] as const)(
  'the trial of a product in %s, transposed %s and %s, is passed by the portable kernel',
  async (type, transposeA, transposeB) => {
    using runtime = await createRuntime({ device: cpu() })
    const run = (args: GemmArgs) => gemm(runtime, args, { kernels })
    const { got, expected, bound } = await gemmTrial(runtime, { type, transposeA, transposeB }, run)
    expect(got.length).toBeGreaterThanOrEqual(expected.length)
    const parts = Array.from(expected, (value, i) => Math.abs((got[i] as number) - value) / bound(i))
    expect(Math.max(...parts)).toBeLessThanOrEqual(1)
    // not so lenient that a kernel which forgets one term of its sums would pass
    const one = Array.from(expected, (value, i) => (Math.abs(value) * 2 ** -9) / bound(i))
    expect(Math.max(...one)).toBeGreaterThan(1)
  },
)
