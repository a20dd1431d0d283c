import * as kernels from '@weft/kernels'
import { normGradients, norms } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('norms', [...norms, ...normGradients], ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })
  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))
  const close = async (buffer: ReturnType<typeof empty>, expected: Float64Array) =>
    expect(maxError(await buffer.read(Float32Array), expected).relative).toBeLessThan(1e-5)

  const group = { items: 2, channels: 6, places: 5, groups: 3, eps: 1e-5, centered: true }
  const row = { items: 4, channels: 15, places: 1, groups: 1, eps: 1e-5, centered: true }
  const data = {
    x: uniform(1, 60, -1, 1),
    weight: uniform(2, 15, -1, 1),
    bias: uniform(3, 15, -1, 1),
    dy: uniform(4, 60, -1, 1),
  }

  it('layernorm in place, and its gradients', async () => {
    const [x, weight, bias] = [data.x, data.weight, data.bias].map((values) => runtime.buffer(values))
    const dy = runtime.buffer(data.dy)
    const [dx, dweight, dbias] = [empty(60), empty(15), empty(15)]
    const sizes = { rows: 4, cols: 15 }
    await kernels.layernormBackward(runtime, { x: x!, weight: weight!, dy, dx, dweight, dbias, ...sizes }, own)
    await kernels.layernorm(runtime, { x: x!, weight: weight!, bias: bias!, y: x!, ...sizes }, own)
    const { dy: _, ...forward } = data
    const exact = kernels.normBackwardReference({ ...data, ...row })
    await close(x as ReturnType<typeof empty>, kernels.normReference({ ...forward, ...row }))
    await close(dx, exact.dx)
    await close(dweight, exact.dweight)
    await close(dbias, exact.dbias)
  })

  it('rmsnorm: the residual stream, and the gradients', async () => {
    const [x, residual, weight, dy] = [data.x, data.dy, data.weight, data.dy].map((values) => runtime.buffer(values))
    const [y, dx, dweight] = [empty(60), empty(60), empty(15)]
    const sizes = { rows: 4, cols: 15 }
    await kernels.residualRmsnorm(runtime, { x: x!, residual: residual!, weight: weight!, y, ...sizes, shift: 1 }, own)
    const sum = data.x.map((v, i) => v + (data.dy[i] as number))
    expect(await residual!.read()).toEqual(sum)
    const shape = { ...row, centered: false }
    await close(y, kernels.normReference({ x: sum, weight: data.weight.map((w) => w + 1), ...shape }))
    await kernels.rmsnormBackward(runtime, { x: x!, weight: weight!, dy: dy!, dx, dweight, ...sizes }, own)
    const exact = kernels.normBackwardReference({ ...data, ...shape })
    await close(dx, exact.dx)
    await close(dweight, exact.dweight)
  })

  it('groupnorm and its gradients', async () => {
    const weight = data.weight.subarray(0, 6)
    const bias = data.bias.subarray(0, 6)
    const { x: values, dy } = data
    const args = { x: values, weight, bias, ...group }
    const buffers = { x: runtime.buffer(data.x), weight: runtime.buffer(weight), bias: runtime.buffer(bias) }
    const [y, dx, dweight, dbias] = [empty(60), empty(60), empty(6), empty(6)]
    const { items, channels, places, groups } = group
    const shape = { items, channels, places, groups }
    await kernels.groupnorm(runtime, { ...buffers, y, ...shape }, own)
    await close(y, kernels.normReference(args))
    const { x, weight: w } = buffers
    await kernels.groupnormBackward(
      runtime,
      { x, weight: w, dy: runtime.buffer(data.dy), dx, dweight, dbias, ...shape },
      own,
    )
    const exact = kernels.normBackwardReference({ ...args, dy })
    await close(dx, exact.dx)
    await close(dweight, exact.dweight)
    await close(dbias, exact.dbias)
  })

  it('of nothing, and refuses what does not fit before anything is recorded', async () => {
    const x = runtime.buffer(Float32Array, 6)
    await kernels.layernorm(runtime, { x, weight: x, bias: x, y: empty(0), rows: 0, cols: 3 }, own)
    const dweight = empty(3)
    const args = { x, weight: x, dy: x, dx: empty(0), dweight, rows: 0, cols: 3 }
    await kernels.rmsnormBackward(runtime, args, own)
    expect([...(await dweight.read(Float32Array))]).toEqual([0, 0, 0])
    const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
    await bad(
      kernels.layernorm(runtime, { x, weight: x, bias: x, y: empty(8), rows: 2, cols: 4 }, own),
      'x must have 8 elements, and has 6',
    )
    await bad(
      kernels.groupnorm(
        runtime,
        { x, weight: x, bias: x, y: empty(6), items: 1, channels: 6, places: 1, groups: 4 },
        own,
      ),
      'channels must be a multiple of groups = 4, got 6',
    )
    await bad(
      kernels.rmsnormBackward(runtime, { ...args, rows: 1, cols: 4, dx: empty(4) }, own),
      'dweight must have 4 elements',
    )
    await runtime.idle()
  })
})
