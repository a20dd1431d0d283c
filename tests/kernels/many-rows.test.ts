import * as kernels from '@weft/kernels'
import { kernelSources } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

/** Rows around and above the 65,535 workgroups that a dimension may have, each a workgroup of its own. */

const full = process.env.WEFT_FULL === '1'
const COLS = 3
const MANY = 65_537
const MINUTES = 60_000

onDevices('many rows', kernelSources(), ({ runtime, options }) => {
  const upload = (data: Float32Array | Uint32Array) => runtime().buffer(data)
  const empty = (n: number) => upload(new Float32Array(n))

  interface Trial {
    readonly name: string
    readonly rows: number
    /** Runs it, and gives the result and what the reference says. */
    readonly run: (rows: number, x: Float32Array) => Promise<readonly [got: Float32Array, expected: Float64Array]>
  }

  const softmax: Trial['run'] = async (rows, x) => {
    const y = empty(x.length)
    await kernels.softmax(runtime(), { x: upload(x), y, rows, cols: COLS }, options)
    return [await y.read(Float32Array), kernels.softmaxReference({ x, rows, cols: COLS })]
  }

  const trials: readonly Trial[] = [
    ...(full ? [65_535, 65_536, MANY] : [MANY]).map((rows) => ({ name: 'softmax', rows, run: softmax })),
    {
      name: 'rmsnorm',
      rows: MANY,
      run: async (rows, x) => {
        const [weight, y] = [Float32Array.of(1, -2, 0.5), empty(x.length)]
        const sizes = { rows, cols: COLS, eps: 1e-5 }
        await kernels.rmsnorm(runtime(), { x: upload(x), weight: upload(weight), y, ...sizes }, options)
        return [await y.read(Float32Array), kernels.rmsnormReference({ x, weight, ...sizes })]
      },
    },
    {
      name: 'layernorm',
      rows: MANY,
      run: async (rows, x) => {
        const [weight, bias] = [Float32Array.of(1, -2, 0.5), Float32Array.of(0, 1, 2)]
        const [y, eps] = [empty(x.length), 0.1]
        const buffers = { x: upload(x), weight: upload(weight), bias: upload(bias), y }
        await kernels.layernorm(runtime(), { ...buffers, rows, cols: COLS, eps }, options)
        const shape = { items: rows, channels: COLS, places: 1, groups: 1, eps, centered: true }
        return [await y.read(Float32Array), kernels.normReference({ x, weight, bias, ...shape })]
      },
    },
    {
      name: 'cross-entropy',
      rows: MANY,
      run: async (rows, x) => {
        const target = Uint32Array.from({ length: rows }, (_, i) => i % COLS)
        const [loss, lse] = [empty(rows), empty(rows)]
        const sizes = { rows, cols: COLS }
        await kernels.crossEntropy(runtime(), { x: upload(x), target: upload(target), loss, lse, ...sizes }, options)
        return [await loss.read(Float32Array), kernels.crossEntropyReference({ x, target, ...sizes }).loss]
      },
    },
    {
      name: 'sum',
      rows: MANY,
      run: async (rows, x) => {
        const out = empty(rows)
        await kernels.reduce(runtime(), 'sum', { x: upload(x), shape: [rows, COLS], axes: [1], out }, options)
        const sums = Float64Array.from({ length: rows }, (_, row) => x[3 * row]! + x[3 * row + 1]! + x[3 * row + 2]!)
        return [await out.read(Float32Array), sums]
      },
    },
  ]

  it.for(trials)('$rows rows: $name', { timeout: 10 * MINUTES }, async ({ rows, run }, { skip }) => {
    if (!full && runtime().info.backend === 'webgpu')
      skip('so many workgroups take a software GPU a minute: npm run test:full')
    const [got, expected] = await run(rows, uniform(1, rows * COLS, -2, 2))
    expect(maxError(got, expected).abs).toBeLessThan(1e-5)
  })
})
