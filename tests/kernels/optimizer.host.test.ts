import * as kernels from '@weft/kernels'
import { adamw, clipByNorm, sgd } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('optimizers', [adamw, sgd, clipByNorm], ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })
  const n = 33

  it('AdamW over ten steps, on a quadratic', async () => {
    const target = uniform(1, n, -1, 1)
    let state: Record<'p' | 'm' | 'v', Float64Array> = {
      p: new Float64Array(n),
      m: new Float64Array(n),
      v: new Float64Array(n),
    }
    const [p, m, v] = [
      runtime.buffer(Float32Array, n),
      runtime.buffer(Float32Array, n),
      runtime.buffer(Float32Array, n),
    ]
    for (let step = 1; step <= 10; step++) {
      const gradient = Float32Array.from(await p.read(), (x, i) => x - (target[i] as number))
      state = kernels.adamwReference({ ...state, g: gradient }, { lr: 0.1, step })
      await kernels.adamw(runtime, { p, g: runtime.buffer(gradient), m, v, n, lr: 0.1, step }, own)
    }
    expect(maxError(await p.read(), state.p).relative).toBeLessThan(1e-5)
  })

  it('SGD after the gradient was cut to a norm', async () => {
    const gradient = uniform(2, n, -1, 1)
    const squares = gradient.reduce((sum, x) => sum + x * x, 0)
    const [p, g, b] = [runtime.buffer(Float32Array, n), runtime.buffer(gradient), runtime.buffer(Float32Array, n)]
    await kernels.clipByNorm(runtime, { g, squares: runtime.buffer(Float32Array.of(squares)), most: 0.5, n }, own)
    await kernels.sgd(runtime, { p, g, b, n, lr: 1, momentum: 0.9 }, own)
    expect(Math.hypot(...(await p.read()))).toBeCloseTo(0.5, 5)
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime.buffer(Float32Array, 3)
    const more = () => runtime.buffer(Float32Array, 3)
    const args = { p: x, g: more(), m: more(), v: more(), n: 3, lr: 0.1 }
    await expect(kernels.adamw(runtime, { ...args, step: 0 }, own)).rejects.toThrow(
      'step must be an integer from 1 on, got 0',
    )
    await expect(kernels.adamw(runtime, { ...args, n: 4, step: 1 }, own)).rejects.toThrow(
      'p must have 4 elements, and has 3',
    )
    await expect(kernels.sgd(runtime, { p: x, g: x, b: x, n: 1.5, lr: 1 }, own)).rejects.toThrow('n must be an integer')
    await expect(kernels.clipByNorm(runtime, { g: x, squares: x, most: 0, n: 3 }, own)).rejects.toThrow(
      'most must be a finite number above 0, got 0',
    )
    await runtime.idle()
  })
})
