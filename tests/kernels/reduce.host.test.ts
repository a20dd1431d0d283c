import { type ReduceOp, reduce, reduceFunctions, reduceReference, toFloat16 } from '@weft/kernels'
import { reductions } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('reduce', reductions, ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })

  const floats: readonly ReduceOp[] = ['sum', 'mean', 'sumSquares', 'min', 'max', 'variance']

  it('over any neighbouring axes', async () => {
    const shape = [3, 4, 5, 2]
    const x = uniform(1, 120, -1, 1)
    const buffer = runtime.buffer(x)
    for (const op of floats) {
      for (const [axes, outer, size, inner] of [
        [[3], 60, 2, 1],
        [[1, 2], 3, 20, 2],
        [[0], 1, 3, 40],
        [[0, 1, 2, 3], 1, 120, 1],
        [[], 1, 1, 120],
      ] as const) {
        const out = runtime.buffer(new Float32Array(outer * inner).fill(777))
        await reduce(runtime, op, { x: buffer, shape, axes, out }, own)
        const expected = reduceReference(reduceFunctions[op], { x, outer, size, inner })
        expect(maxError(await out.read(Float32Array), expected).abs, `${op} ${axes}`).toBeLessThan(1e-5)
      }
    }
  })

  it('all elements of a long array, in two steps', async () => {
    const x = uniform(2, 200_001, -1, 1)
    const buffer = runtime.buffer(x)
    for (const op of ['sum', 'mean', 'max', 'argmax'] as const) {
      const out = op === 'argmax' ? runtime.buffer(Uint32Array, 1) : runtime.buffer(Float32Array, 1)
      await reduce(runtime, op, { x: buffer, shape: [200_001], out }, own)
      const [expected = 0] = reduceReference(reduceFunctions[op], { x, outer: 1, size: x.length, inner: 1 })
      expect(Math.abs(((await out.read())[0] as number) - expected)).toBeLessThan(0.01)
    }
  })

  it('all elements of a long array of f16, of an odd number', async () => {
    const x = uniform(3, 70_001, -1, 1).map((v) => Math.round(v * 512) / 512)
    const buffer = runtime.buffer(toFloat16([...x, 777]))
    for (const op of ['sum', 'min', 'argmax'] as const) {
      const out = op === 'argmax' ? runtime.buffer(Uint32Array, 1) : runtime.buffer(Float32Array, 1)
      await reduce(runtime, op, { x: buffer, shape: [70_001], out, type: 'f16' }, own)
      const [expected = 0] = reduceReference(reduceFunctions[op], { x, outer: 1, size: x.length, inner: 1 })
      expect(Math.abs(((await out.read())[0] as number) - expected), op).toBeLessThan(0.01)
    }
  })

  it('of nothing, and refuses what does not fit before anything is recorded', async () => {
    const x = runtime.buffer(Float32Array, 6)
    const out = runtime.buffer(new Float32Array(2).fill(777))
    await reduce(runtime, 'sum', { x, shape: [2, 0], axes: [1], out }, own)
    expect([...(await out.read(Float32Array))]).toEqual([0, 0])
    await reduce(runtime, 'max', { x, shape: [0, 3], axes: [1], out }, own)
    const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
    await bad(
      reduce(runtime, 'mean', { x, shape: [2, 0], axes: [1], out }, own),
      'reduce: there is no mean of 0 elements',
    )
    await bad(
      reduce(runtime, 'variance', { x, shape: [2, 1], axes: [1], out, correction: 1 }, own),
      'with a correction of 1',
    )
    await bad(
      reduce(runtime, 'sum', { x, shape: [2, 3], axes: [1, 0], out }, own),
      'axes must be neighbours in order, of 0 … 1',
    )
    await bad(reduce(runtime, 'median' as never, { x, shape: [6], out }, own), 'reduce: op must be one of sum, mean')
    await bad(
      reduce(runtime, 'sum', { x, shape: [6], out, type: 'f64' as never }, own),
      "type must be one of f32, f16, got 'f64'",
    )
    const raw = new Float32Array(6) as never
    await bad(
      reduce(runtime, 'sum', { x: raw, shape: [6], out }, own),
      'x must be a buffer of the device, got a Float32Array',
    )
    await bad(
      reduce(runtime, 'sum', { x, shape: [6], out: undefined as never }, own),
      'out must be a buffer of the device, got undefined',
    )
    await bad(reduce(runtime, 'sum', { x, shape: [7], out }, own), 'reduce: x must have 7 elements, and has 6')
    await bad(
      reduce(runtime, 'sum', { x, shape: [3, 2], axes: [1], out }, own),
      'reduce: out must have 3 elements, and has 2',
    )
    await runtime.idle()
  })
})
