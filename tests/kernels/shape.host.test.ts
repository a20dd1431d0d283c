import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { onDevices } from './devices.js'

const { gather, indexSelect, scatterAdd } = source

onDevices('shape', [...source.copies, gather, indexSelect, scatterAdd], ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })

  const count = (n: number) => Float32Array.from({ length: n }, (_, i) => i)
  const upload = (data: Float32Array | Uint32Array) => runtime.buffer(data)
  const empty = (n: number, value = 777) => runtime.buffer(new Float32Array(n).fill(value))
  const read = async (out: ReturnType<typeof empty>) => [...(await out.read(Float32Array))]

  it('permute, splitHeads and mergeHeads', async () => {
    const x = upload(count(24))
    const out = empty(24)
    await kernels.permute(runtime, { x, out, shape: [2, 3, 4], axes: [2, 0, 1] }, own)
    expect((await read(out)).slice(0, 7)).toEqual([0, 4, 8, 12, 16, 20, 1])
    const heads = { batch: 2, tokens: 3, heads: 2, size: 2 }
    const [split, merged] = [empty(24), empty(24)]
    await kernels.splitHeads(runtime, { x, out: split, ...heads }, own)
    expect((await read(split)).slice(0, 8)).toEqual([0, 1, 4, 5, 8, 9, 2, 3])
    await kernels.mergeHeads(runtime, { x: split, out: merged, ...heads }, own)
    expect(await read(merged)).toEqual([...count(24)])
  })

  it('slice as Python has it', async () => {
    const x = upload(count(20))
    const out = empty(20)
    const sliced = async (args: { starts: number[]; ends: number[]; steps?: number[] }) => {
      const shape = await kernels.slice(runtime, { x, out, shape: [4, 5], ...args }, own)
      return {
        shape,
        values: (await read(out)).slice(
          0,
          shape.reduce((n, e) => n * e, 1),
        ),
      }
    }
    expect(await sliced({ starts: [1, -2], ends: [3, 99] })).toEqual({ shape: [2, 2], values: [8, 9, 13, 14] })
    expect(await sliced({ starts: [-1, 4], ends: [-99, 0], steps: [-2, -3] })).toEqual({
      shape: [2, 2],
      values: [19, 16, 9, 6],
    })
    expect(await sliced({ starts: [3, 0], ends: [1, 5] })).toEqual({ shape: [0, 5], values: [] })
  })

  it('flip, repeat and expand', async () => {
    const x = upload(count(6))
    const out = empty(24)
    await kernels.flip(runtime, { x, out, shape: [2, 3], axes: [1] }, own)
    expect((await read(out)).slice(0, 6)).toEqual([2, 1, 0, 5, 4, 3])
    await kernels.repeat(runtime, { x, out, shape: [2, 3], times: [2, 2] }, own)
    const twice = [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]
    expect(await read(out)).toEqual([...twice, ...twice])
    await kernels.expand(runtime, { x, out, shape: [3, 1, 2], to: [2, 3, 2, 2] }, own)
    expect((await read(out)).slice(0, 12)).toEqual([0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5])
  })

  it('concatenate and pad', async () => {
    const out = empty(24, -1)
    const [a, b] = [upload(count(4)), upload(count(6))]
    const shape = await kernels.concatenate(
      runtime,
      {
        inputs: [
          { x: a, shape: [2, 2] },
          { x: b, shape: [2, 3] },
        ],
        axis: 1,
        out,
      },
      own,
    )
    expect(shape).toEqual([2, 5])
    expect((await read(out)).slice(0, 11)).toEqual([0, 1, 0, 1, 2, 2, 3, 3, 4, 5, -1])
    const padded = empty(24, 9)
    expect(
      await kernels.pad(runtime, { x: a, shape: [2, 2], before: [1, 0], after: [1, 2], out: padded }, own),
    ).toEqual([4, 4])
    expect((await read(padded)).slice(0, 16)).toEqual([9, 9, 9, 9, 0, 1, 9, 9, 2, 3, 9, 9, 9, 9, 9, 9])
  })

  it('embedding, gather and scatterAdd leave out ids outside of the table', async () => {
    const table = upload(count(15))
    const ids = upload(Uint32Array.of(0, 4, 5, 0xffff_ffff, 4294967295))
    const out = empty(15)
    await kernels.embedding(runtime, { x: table, index: ids, out, size: 5, count: 5, inner: 3 }, own)
    expect(await read(out)).toEqual([0, 1, 2, 12, 13, 14, ...new Array(9).fill(0)])
    const sums = empty(15, 1)
    await kernels.scatterAdd(runtime, { x: table, index: ids, out: sums, size: 5, count: 5, inner: 3 }, own)
    expect(await read(sums)).toEqual([1, 2, 3, ...new Array(9).fill(1), 4, 5, 6])
    const picked = empty(4)
    const index = upload(Uint32Array.of(1, 0, 2, 7))
    await kernels.gather(runtime, { x: table, index, out: picked, size: 3, count: 2, inner: 2 }, own)
    expect(await read(picked)).toEqual([2, 1, 4, 0])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = upload(count(6))
    const out = empty(6)
    const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
    await bad(
      kernels.permute(runtime, { x, out, shape: [2, 3], axes: [0, 0] }, own),
      'axes must be a permutation of 0 … 1',
    )
    await bad(
      kernels.permute(runtime, { x, out, shape: [2, 4], axes: [1, 0] }, own),
      'permute: x must have 8 elements, and has 6',
    )
    await bad(
      kernels.slice(runtime, { x, out, shape: [6], starts: [0], ends: [3], steps: [0] }, own),
      'a step must not be 0',
    )
    await bad(
      kernels.slice(runtime, { x, out, shape: [6], starts: [0.5], ends: [3] }, own),
      'slice: starts[0] must be an integer, got 0.5',
    )
    await bad(kernels.flip(runtime, { x, out, shape: [6], axes: [1] }, own), 'axis must be one of 0 … 0, got 1')
    await bad(
      kernels.repeat(runtime, { x, out, shape: [6], times: [2] }, own),
      'repeat: out must have 12 elements, and has 6',
    )
    await bad(kernels.expand(runtime, { x, out, shape: [6], to: [5] }, own), '[6] does not broadcast to [5]')
    await bad(kernels.concatenate(runtime, { inputs: [], axis: 0, out }, own), 'there are no inputs')
    const inputs = [
      { x, shape: [2, 3] },
      { x, shape: [3, 2] },
    ]
    await bad(kernels.concatenate(runtime, { inputs, axis: 0, out }, own), 'differ along another axis than 0')
    await bad(kernels.pad(runtime, { x, out, shape: [6], before: [1], after: [0] }, own), 'out must have 7 elements')
    await bad(
      kernels.copy(runtime, { from: { data: x, strides: [1, 1] }, to: { data: out }, shape: [6] }, own),
      'from has 2 strides for 1 axes',
    )
    await bad(
      kernels.copy(runtime, { from: { data: x, strides: [-1] }, to: { data: out }, shape: [6] }, own),
      'from reaches element -5',
    )
    await bad(
      kernels.embedding(runtime, { x, index: x, out, size: 3, count: 7, inner: 2 }, own),
      'index must have 7 elements',
    )
    await runtime.idle()
  })
})
