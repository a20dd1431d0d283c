import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { ceilDiv, d, type Expr, fn, input, kernel, output } from '@weft/dsl'
import { gated, type Trial, trusted, verdicts } from '@weft/kernels'
import { createRuntime, type Runtime } from '@weft/runtime/node'
import { beforeEach, describe, expect, it } from 'vitest'

/** A kernel that should be y = 2x, made of what it does instead. */
const doubling = (name: string, f: (x: Expr<'f32'>) => Expr<'f32'>) =>
  compile(
    kernel(
      name,
      {
        workgroupSize: [32],
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        params: { n: d.u32 },
        workgroups: ({ n }) => [ceilDiv(n, 32)],
      },
      ({ x, y, n }, k) => {
        const i = k.let('i', k.globalIndex)
        k.if(i.lt(n), () => y.at(i).set(f(x.at(i))))
      },
    ),
  )
const right = doubling('right', (x) => x.mul(2))
const wrong = doubling('wrong', (x) => x.mul(2.001))

const N = 37

describe('trusted', () => {
  let runtime: Runtime
  let trials: number
  beforeEach(async () => {
    runtime = await createRuntime({ device: cpu() })
    trials = 0
  })

  const trialOf =
    (compiled: typeof right, change: Partial<Trial> = {}) =>
    async (): Promise<Trial> => {
      trials++
      const values = Float32Array.from({ length: N }, (_, i) => i - 18)
      using x = runtime.buffer(values)
      using y = runtime.buffer(new Float32Array(N).fill(Number.NaN))
      await runtime.run(compiled, { x, y, n: N })
      const bound = (i: number): number => Math.abs(2 * (values[i] as number)) * 2 ** -23
      return { got: await y.read(), expected: values.map((v) => 2 * v), bound, ...change }
    }

  it('[prior-R19] refuses a kernel whose numbers are wrong, once for a device, and says so', async () => {
    expect(await trusted(runtime, wrong, trialOf(wrong))).toBe(false)
    expect(await trusted(runtime, right, trialOf(right))).toBe(true)
    for (let i = 0; i < 3; i++) expect(await trusted(runtime, wrong, trialOf(wrong))).toBe(false)
    expect(trials).toBe(2)
    expect(verdicts(runtime)).toEqual([
      {
        kernel: 'wrong',
        ok: false,
        error: expect.closeTo(0.0005 * 2 ** 23, -1) as number,
        because: expect.stringMatching(/^element \d+ is -?[\d.]+, expected -?\d+ ± \d/) as string,
      },
      { kernel: 'right', ok: true, error: 0, because: '' },
    ])
  })

  it('asks once where several ask at the same time', async () => {
    const asked = await Promise.all([1, 2, 3].map(() => trusted(runtime, right, trialOf(right))))
    expect({ asked, trials }).toEqual({ asked: [true, true, true], trials: 1 })
  })

  it('knows each device apart', async () => {
    await trusted(runtime, right, trialOf(right))
    const other = await createRuntime({ device: cpu() })
    expect(verdicts(other)).toEqual([])
    expect(verdicts(runtime)).toHaveLength(1)
  })

  it('refuses NaN where a number belongs, and what is missing', async () => {
    const nan = doubling('nan', (x) => x.mul(2).add(fn.sqrt(x.sub(1000))))
    expect(await trusted(runtime, nan, trialOf(nan))).toBe(false)
    const short = doubling('short', (x) => x.mul(2).add(0))
    expect(await trusted(runtime, short, trialOf(short, { got: [1] }))).toBe(false)
  })

  it('[prior-R19] takes the variants without features where the one with subgroups is wrong', async () => {
    const sums = (factor: number) =>
      compile(
        kernel(
          factor === 2 ? 'good' : 'bad',
          {
            workgroupSize: [32],
            bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
            params: { n: d.u32 },
            variants: { subgroups: ['subgroups'], portable: [] },
            workgroups: ({ n }) => [ceilDiv(n, 32)],
          },
          ({ x, y, n }, k) => {
            const i = k.let('i', k.globalIndex)
            const fast = k.variant === 'subgroups'
            // what a subgroup broadcasts of itself is itself
            const value = k.let(
              'value',
              k.when(i.lt(n), () => x.at(i).mul(fast ? factor : 2), 0),
            )
            const shown = fast ? k.subgroupShuffleXor(k.subgroupShuffleXor(value, 1), 1) : value
            k.if(i.lt(n), () => y.at(i).set(shown))
          },
        ),
      )
    const [good, bad] = [sums(2), sums(2.5)]
    const same = await gated(runtime, good, (one) => trialOf(one as typeof right)())
    expect(same).toBe(good)
    const fallback = await gated(runtime, bad, (one) => trialOf(one as typeof right)())
    expect(new Set(bad.variants.map(({ source }) => source))).toEqual(new Set(['subgroups', 'portable']))
    expect(new Set(fallback.variants.map(({ source }) => source))).toEqual(new Set(['portable']))
    // the same object each time, so that a runtime loads it once
    expect(await gated(runtime, bad, () => Promise.reject(new Error('known')))).toBe(fallback)
    // which has nothing to be gated for
    expect(await gated(runtime, right, () => Promise.reject(new Error('no need')))).toBe(right)
    expect(verdicts(runtime).map(({ kernel: name, ok }) => [name, ok])).toEqual([
      ['good', true],
      ['bad', false],
    ])
  })

  it('refuses a kernel that cannot be compiled, and `idle` is none the worse', async () => {
    const { ir: _, ...without } = right
    const broken = { ...without, name: 'broken', hash: 'broken' }
    expect(await trusted(runtime, broken as typeof right, trialOf(right))).toBe(false)
    expect(trials).toBe(0)
    expect(verdicts(runtime)).toMatchObject([{ kernel: 'broken', ok: false, error: null }])
    await runtime.idle()
  })
})
