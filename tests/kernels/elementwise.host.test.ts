import { compile } from '@weft/codegen'
import { elementwiseFunctions, elementwiseReference, ops, runElementwise, toFloat16 } from '@weft/kernels'
import { binary, casts, elementwise, logical, unary } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('elementwise', [...unary, ...binary, ...logical, ...casts], ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })

  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))
  const add = elementwiseFunctions.add as (x: number, y: number) => number

  it('of one shape, in place, and of nothing', async () => {
    const [x, y] = [uniform(1, 70, -1, 1), uniform(2, 70, -1, 1)]
    const buffer = runtime.buffer(x)
    await runElementwise(runtime, ops.add, { inputs: [buffer, runtime.buffer(y)], out: buffer, shape: [7, 10] }, own)
    expect(await buffer.read(Float32Array)).toEqual(x.map((v, i) => v + (y[i] as number)))
    await runElementwise(runtime, ops.add, { inputs: [buffer, buffer], out: empty(0), shape: [7, 0] }, own)
  })

  it('f16 by words: an odd number, in place, and what lies behind it stays', async () => {
    const buffer = runtime.buffer(toFloat16([1, 2, 3, 4]))
    await runElementwise(runtime, ops.add, { inputs: [buffer, buffer], out: empty(4), shape: [4], type: 'f16' }, own)
    await runElementwise(runtime, ops.neg, { inputs: [buffer], out: buffer, shape: [3], type: 'f16' }, own)
    expect([...(await buffer.read(Uint16Array))]).toEqual([...toFloat16([-1, -2, -3, 4])])
    const short = runtime.buffer(toFloat16([1, 2]))
    await expect(
      runElementwise(runtime, ops.neg, { inputs: [buffer], out: short, shape: [3], type: 'f16' }, own),
    ).rejects.toThrow('runElementwise: out must have 3 elements, and has 2')
  })

  it('broadcast over the shapes of the inputs, from an offset and backwards', async () => {
    const [x, y] = [uniform(1, 6, -1, 1), uniform(2, 9, -1, 1)]
    const views = [{ shape: [6, 1] }, { shape: [2, 1, 4], strides: [1, 5, -2], offset: 7 }] as const
    const shape = [2, 6, 4]
    const out = empty(48)
    const inputs = [
      { data: runtime.buffer(x), ...views[0] },
      { data: runtime.buffer(y), ...views[1] },
    ]
    await runElementwise(runtime, ops.add, { inputs, out }, own)
    const expected = elementwiseReference(
      add,
      [
        { data: x, ...views[0] },
        { data: y, ...views[1] },
      ],
      shape,
    )
    expect(await out.read(Float32Array)).toEqual(Float32Array.from(expected))
  })

  it('with params, by types, and casts', async () => {
    const x = runtime.buffer(Float32Array.of(-2, -0.5, 0.5, 2))
    const out = empty(4)
    const params = { low: -1, high: 0.75 }
    await runElementwise(runtime, ops.clamp, { inputs: [x], out, shape: [4], params }, own)
    expect([...(await out.read(Float32Array))]).toEqual([-1, -0.5, 0.5, 0.75])
    const integers = runtime.buffer(Int32Array.of(777, 777, 777, 777))
    await runElementwise(runtime, ops.castF32I32, { inputs: [x], out: integers, shape: [4] }, own)
    expect([...(await integers.read())]).toEqual([-2, 0, 0, 2])
    const product = runtime.buffer(Int32Array, 4)
    await runElementwise(runtime, ops.mul, { inputs: [integers, integers], out: product, shape: [4], type: 'i32' }, own)
    expect([...(await product.read())]).toEqual([4, 0, 0, 4])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime.buffer(new Float32Array(4))
    const small = runtime.buffer(new Float32Array(3))
    const run = (operation: typeof ops.add, args: Parameters<typeof runElementwise>[2]) =>
      runElementwise(runtime, operation, args, own)
    const out = empty(4)
    await expect(run(undefined as never, { inputs: [x], out, shape: [4] })).rejects.toThrow(
      'the operation must be one of ops',
    )
    await expect(run(ops.add, { inputs: [x], out, shape: [4] })).rejects.toThrow(
      'runElementwise: add takes 2 inputs, got 1',
    )
    await expect(run(ops.add, { inputs: [x, x], out: [out, empty(4)], shape: [4] })).rejects.toThrow(
      'runElementwise: add has 1 outputs, got 2',
    )
    await expect(run(ops.add, { inputs: [x, x], out, shape: [4], type: 'bool' })).rejects.toThrow(
      'runElementwise: add has no form for bool, but for f32, f16, i32',
    )
    await expect(run(ops.add, { inputs: [x, small], out, shape: [4] })).rejects.toThrow(
      'runElementwise: inputs[1] must have 4 elements, and has 3',
    )
    await expect(run(ops.add, { inputs: [x, x], out: small, shape: [4] })).rejects.toThrow(
      'runElementwise: out must have 4 elements',
    )
    await expect(run(ops.add, { inputs: [x, x], out })).rejects.toThrow('runElementwise: give the shape of the output')
    await expect(run(ops.add, { inputs: [x, x], out, shape: [-1] })).rejects.toThrow(
      'shape[0] must be an integer from 0 on, got -1',
    )
    const backwards = { data: x, shape: [4], strides: [-1], offset: 2 }
    await expect(run(ops.add, { inputs: [x, backwards], out, shape: [4] })).rejects.toThrow(
      'runElementwise: inputs[1] reaches element -1, before its buffer',
    )
    const wide = { data: x, shape: [1] }
    await expect(run(ops.siluBackward, { inputs: [x, wide], out, shape: [4] })).rejects.toThrow(
      'runElementwise: broadcast and strided inputs have no kernel; copy them first',
    )
    await runtime.idle()
  })

  it('a kernel of the author', async () => {
    const gated = compile(elementwise('gated', (x, gate) => x.mul(gate.add(1))))
    const out = empty(2)
    const [x, y] = [runtime.buffer(Float32Array.of(1, 2)), runtime.buffer(Float32Array.of(3, 4))]
    await runtime.run(gated, { x, y, out, n: 2 })
    expect([...(await out.read(Float32Array))]).toEqual([4, 10])
  })
})
