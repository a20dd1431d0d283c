import { type CompiledKernel, compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { ceilDiv, d, fn, inout, input, kernel, output } from '@weft/dsl'
import { createRuntime, type Runtime } from '@weft/runtime/node'
import { capture, diff, load, replay, save, type Trace } from '@weft/runtime/trace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const all = { contents: 'all' } as const
const LENGTH = 101

/** y[i] = 3 · x[i] + c, in whole numbers: the same on every engine. */
const mix = compile(
  kernel(
    'mix',
    {
      workgroupSize: [32],
      bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) },
      params: { n: d.u32, c: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 32)],
    },
    ({ x, y, n, c }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(3).add(c)))
    },
  ),
)

/** The same kernel with another text for the compilers of GPUs, as if one of them went wrong at element 37. */
function miscompiled(of: CompiledKernel, more: string): CompiledKernel {
  const variants = of.variants.map((variant) => {
    const wgsl = variant.wgsl.replace(/([xy]\[i\]) = (.*);/, `$1 = $2 + select(0, ${more}, i == 37u);`)
    expect(wgsl).not.toBe(variant.wgsl)
    return { ...variant, wgsl }
  })
  return { ...of, variants }
}

/** A chain of dispatches between two buffers. */
async function chain(
  runtime: Runtime,
  kernels: readonly CompiledKernel[],
  within = (body: () => Promise<void>) => body(),
) {
  let x = runtime.buffer(
    Uint32Array.from({ length: LENGTH }, (_, i) => i),
    { label: 'ping' },
  )
  let y = runtime.buffer(Uint32Array, LENGTH, { label: 'pong' })
  return capture(
    runtime,
    () =>
      within(async () => {
        for (const [c, kernel] of kernels.entries()) {
          await runtime.run(kernel, { x, y, n: LENGTH, c })
          ;[x, y] = [y, x]
        }
      }),
    all,
  )
}

const twenty = (wrongAt: number | null): CompiledKernel[] => {
  const wrong = miscompiled(mix, '1u')
  return Array.from({ length: 20 }, (_, i) => (i === wrongAt ? wrong : mix))
}

/** What dispatch 11 should give at element 37. */
const EXPECTED = Array.from({ length: 12 }).reduce<number>((x, _, c) => Math.imul(x, 3) + c, 37) >>> 0

describe('a trace across engines', () => {
  let gpu: Runtime
  let interpreter: Runtime
  beforeAll(async () => {
    gpu = await createRuntime()
    interpreter = await createRuntime({ device: cpu() })
  })
  afterAll(() => {
    gpu.destroy()
    interpreter.destroy()
  })

  it('agrees where nothing is wrong, from Dawn to the interpreter and back', async () => {
    const onGpu = await chain(gpu, twenty(null))
    const onCpu = await replay(onGpu, interpreter, all)
    expect(diff(onGpu, onCpu)).toBe(null)
    expect(diff(onCpu, await replay(onCpu, gpu))).toBe(null)
    expect(onCpu.steps.length).toBe(onGpu.steps.length)
  })

  const finds = (expected: Trace, got: Trace) => {
    const found = diff(expected, got)
    expect(found).toMatchObject({
      dispatch: 11,
      kernel: 'mix',
      when: 'after',
      binding: 'y',
      element: { index: 37, lane: null, type: 'u32', expected: EXPECTED, got: EXPECTED + 1 },
      differing: 1,
    })
    expect(found?.message).toContain(
      `  y[37] (u32): expected ${EXPECTED}, got ${EXPECTED + 1}\n  1 of 101 values differ`,
    )
  }

  it('finds a wrong dispatch in the middle of twenty: run on Dawn, loaded from a file, replayed on the interpreter', async () => {
    const onGpu = await load(save(await chain(gpu, twenty(11))))
    const onCpu = await replay(onGpu, interpreter, all)
    finds(onCpu, onGpu)
    // it is the only one: given what the trace has, all others agree
    const each = await replay(onGpu, interpreter, { ...all, inputs: 'traced' })
    finds(each, onGpu)
    const rest = {
      ...onGpu,
      steps: onGpu.steps.filter((_, i) => i !== onGpu.steps.findIndex((s) => s.kind === 'dispatch') + 11),
    }
    const others = { ...each, steps: each.steps.filter((s) => s.kind === 'dispatch').filter((_, i) => i !== 11) }
    expect(diff(others, rest)).toBe(null)
  })

  it('finds it in a batch, and where the interpreter’s run is replayed on Dawn', async () => {
    const onCpu = await chain(interpreter, twenty(11))
    finds(onCpu, await replay(onCpu, gpu, all))
    finds(onCpu, await chain(gpu, twenty(11), (body) => gpu.batch(body)))
  })

  it('compares floats with a tolerance', async () => {
    const decay = compile(
      kernel(
        'decay',
        {
          workgroupSize: [32],
          bindings: { x: inout(d.arrayOf(d.f32)) },
          params: { n: d.u32 },
          workgroups: ({ n }) => [ceilDiv(n, 32)],
        },
        ({ x, n }, k) => {
          const i = k.let('i', k.globalIndex)
          k.if(i.lt(n), () => x.at(i).set(fn.exp(x.at(i).neg())))
        },
      ),
    )
    const values = Float32Array.from({ length: LENGTH }, (_, i) => i / 50)
    const run = async (kernel: CompiledKernel) => {
      const x = gpu.buffer(values)
      return capture(gpu, () => gpu.run(kernel, { x, n: LENGTH }), all)
    }
    const onGpu = await run(decay)
    const onCpu = await replay(onGpu, interpreter, all)
    // exp(-x) is within 3 + 2·|x| ULP on a GPU and within half of one on the interpreter; x ≤ 2, and an ULP is at most 2⁻²³
    const tolerance = { abs: 7.5 * 2 ** -23 }
    expect(diff(onCpu, onGpu, { tolerance })).toBe(null)
    const wrong = diff(onCpu, await run(miscompiled(decay, '1e-5')), { tolerance })
    expect(wrong).toMatchObject({ dispatch: 0, binding: 'x', element: { index: 37, type: 'f32' }, differing: 1 })
  })
})
