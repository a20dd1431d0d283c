import { compile } from '@weft/codegen'
import { bitcast, type Expr, f32, fn, u32 } from '@weft/dsl'
import * as kernels from '@weft/kernels'
import { elementwise, kernelSources } from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import { f16s, fromF16 } from '../parity/data.js'
import { onDevices } from './devices.js'

/** Numbers at which comparable systems went wrong, by the numbers of docs/faults.md. The rest are among the parity cases. */

const { ops } = kernels

/** By the bits: an engine may take it that there are no NaNs, and leave out `x != x`. */
const isNan = (x: Expr<'f32'>): Expr<'bool'> => bitcast(u32, x).bitAnd(0x7fff_ffff).gt(0x7f80_0000)

onDevices('reports: numerics', kernelSources(), ({ runtime, options }) => {
  const upload = <T extends Float32Array | Uint32Array | Uint16Array>(data: T) => runtime().buffer(data)
  const floats = (...values: number[]) => upload(Float32Array.from(values))
  const empty = (n: number) => upload(new Float32Array(n).fill(777))
  const hasHalf = () => runtime().info.features.includes('shader-f16')

  async function apply(
    operation: typeof ops.add,
    inputs: readonly (readonly number[])[],
    params: Readonly<Record<string, number>> = {},
  ): Promise<number[]> {
    const n = inputs[0]?.length ?? 0
    const out = empty(n)
    const args = { inputs: inputs.map((values) => floats(...values)), out, shape: [n], params }
    await kernels.runElementwise(runtime(), operation, args, options)
    return [...(await out.read(Float32Array))]
  }

  async function applyHalf(operation: typeof ops.add, inputs: readonly (readonly number[])[]): Promise<number[]> {
    const n = inputs[0]?.length ?? 0
    const out = upload(new Uint16Array(n + (n % 2)))
    const args = { inputs: inputs.map((values) => upload(f16s(...values))), out, shape: [n], type: 'f16' as const }
    await kernels.runElementwise(runtime(), operation, args, options)
    return fromF16(await out.read(Uint16Array)).slice(0, n)
  }

  async function reduced(op: kernels.ReduceOp, values: Float32Array): Promise<number> {
    const isIndex = op === 'argmax' || op === 'argmin'
    const out = isIndex ? upload(Uint32Array.of(777)) : empty(1)
    await kernels.reduce(runtime(), op, { x: upload(values), shape: [values.length], out }, options)
    return (await (isIndex ? out.read(Uint32Array) : out.read(Float32Array)))[0] as number
  }

  it('[case-N06] more tokens than a cache holds are refused, a ring wraps, and what lies around stays', async () => {
    const memory = upload(new Float32Array(2 * 64 + 8).fill(7))
    const [kCache, vCache] = [
      { buffer: memory, offset: 0, size: 32 },
      { buffer: memory, offset: 256, size: 32 },
    ]
    const [k, v] = [floats(1, 2, 3, 4), floats(5, 6, 7, 8)]
    const args = { k, v, kCache, vCache, batch: 1, kvHeads: 1, tokens: 2, past: 106, capacity: 4, headSize: 2 }
    await expect(kernels.kvAppend(runtime(), args, options)).rejects.toThrow(
      'kvAppend: past + tokens must be at most capacity = 4, got 106 + 2',
    )
    expect((await memory.read(Float32Array)).every((x) => x === 7)).toBe(true)
    await kernels.kvAppend(runtime(), { ...args, ring: true }, options)
    const all = [...(await memory.read(Float32Array))]
    expect(all.slice(0, 8)).toEqual([7, 7, 7, 7, 1, 2, 3, 4])
    expect(all.slice(64, 72)).toEqual([7, 7, 7, 7, 5, 6, 7, 8])
    expect(all.filter((x) => x !== 7)).toHaveLength(8 - 1)
  })

  it('[case-N06] a length on the device that is beyond the keys counts as all of them', async () => {
    const sizes = { batch: 1, heads: 1, queries: 1, keys: 4, headSize: 4 }
    const [q, k, v] = [uniform(1, 4, -1, 1), uniform(2, 16, -1, 1), uniform(3, 16, -1, 1)]
    const run = async (lengths: Uint32Array) => {
      const out = empty(4)
      const args = { q: upload(q), k: upload(k), v: upload(v), out, lengths: upload(lengths), past: 3, ...sizes }
      await kernels.attention(runtime(), args, options)
      return out.read(Float32Array)
    }
    expect(await run(Uint32Array.of(106))).toEqual(await run(Uint32Array.of(4)))
  })

  it('[case-N15] log-softmax and cross-entropy above the logarithm of the greatest float', async () => {
    const y = empty(1)
    await kernels.logSoftmax(runtime(), { x: floats(88.8), y, rows: 1, cols: 1 }, options)
    expect([...(await y.read(Float32Array))]).toEqual([0])
    const [loss, lse] = [empty(1), empty(1)]
    const args = { x: floats(88.8, 0), target: upload(Uint32Array.of(0)), loss, lse, rows: 1, cols: 2 }
    await kernels.crossEntropy(runtime(), args, options)
    expect((await loss.read(Float32Array))[0]).toBeCloseTo(0, 5)
    expect((await lse.read(Float32Array))[0]).toBeCloseTo(88.8, 4)
  })

  it('[case-N17] layernorm of f16 whose squares are beyond f16', async ({ skip }) => {
    if (!hasHalf()) skip('the device has no shader-f16')
    const x = f16s(800, ...new Array<number>(63).fill(-0.5), ...new Array<number>(64).fill(0.25))
    const [ones, zeros] = [f16s(...new Array<number>(128).fill(1)), new Uint16Array(128)]
    const y = upload(new Uint16Array(128))
    const args = { x: upload(x), weight: upload(ones), bias: upload(zeros), y, rows: 1, cols: 128 }
    await kernels.layernorm(runtime(), { ...args, type: 'f16' }, options)
    const got = fromF16(await y.read(Uint16Array))
    expect(got[0]).toBeCloseTo(11.27, 2)
    expect(got[1]).toBeCloseTo(-0.0941, 3)
    expect(got[100]).toBeCloseTo(-0.0835, 3)
  })

  it.each([1000, 10_000])('[case-N19] layernorm of values close to %i', async (mean) => {
    const values = Array.from({ length: 16 }, (_, i) => mean + i * 1e-3)
    const [x, weight, bias] = [values, new Array<number>(16).fill(1), new Array<number>(16).fill(0)].map((list) =>
      Float32Array.from(list),
    ) as [Float32Array, Float32Array, Float32Array]
    const y = empty(16)
    const args = { x: upload(x), weight: upload(weight), bias: upload(bias), y, rows: 1, cols: 16, eps: 1e-5 }
    await kernels.layernorm(runtime(), args, options)
    const shape = { items: 1, channels: 16, places: 1, groups: 1, eps: 1e-5, centered: true }
    const exact = kernels.normReference({ x, weight, bias, ...shape })
    const got = await y.read(Float32Array)
    expect(got[0]).toBeCloseTo(mean === 1000 ? -1.3415 : -1.3313, 3)
    for (const [i, value] of exact.entries()) expect(got[i]).toBeCloseTo(value, 3)
  })

  it.each([1000, 10_000])('[case-N19] the variance of values close to %i', async (mean) => {
    const x = Float32Array.from({ length: 96 }, (_, i) => mean + (i % 16) * 1e-3)
    const { variance } = kernels.reduceFunctions as { variance: (values: readonly number[]) => number }
    const exact = kernels.reduceReference(variance, { x, outer: 2, size: 16, inner: 3 })
    const out = empty(6)
    await kernels.reduce(runtime(), 'variance', { x: upload(x), shape: [2, 16, 3], axes: [1], out }, options)
    for (const [i, value] of (await out.read(Float32Array)).entries()) expect(value / exact[i]!).toBeCloseTo(1, 4)
    expect((await reduced('variance', x)) / variance([...x])).toBeCloseTo(1, 4)
  })

  it('[case-N23] sums of f16 ones go beyond 2048', async ({ skip }) => {
    if (!hasHalf()) skip('the device has no shader-f16')
    const x = upload(new Uint16Array(4096).fill(0x3c00))
    const [sum, mean] = [empty(1), empty(1)]
    const args = { x, shape: [4096], type: 'f16' as const }
    await kernels.reduce(runtime(), 'sum', { ...args, out: sum }, options)
    await kernels.reduce(runtime(), 'mean', { ...args, out: mean }, options)
    expect([(await sum.read(Float32Array))[0], (await mean.read(Float32Array))[0]]).toEqual([4096, 1])
  })

  it('[case-N23] sums of f32 ones go beyond 2²⁴', async () => {
    expect(await reduced('sum', new Float32Array(2 ** 25).fill(1))).toBe(2 ** 25)
  })

  it('[case-N24] gelu and its gradient far out', async ({ skip }) => {
    const x = [-13.24, -50, 50, -3]
    const check = (values: number[], digits: number) => {
      for (const [i, exact] of [0, 0, 50, -0.0036374].entries()) expect(values[i]).toBeCloseTo(exact, digits)
    }
    const ones = x.map(() => 1)
    check(await apply(ops.gelu, [x]), 5)
    expect((await apply(ops.geluBackward, [x, ones])).every(Number.isFinite)).toBe(true)
    if (!hasHalf()) skip('the device has no shader-f16')
    check(await applyHalf(ops.gelu, [x]), 4)
    expect((await applyHalf(ops.geluBackward, [x, ones])).every(Number.isFinite)).toBe(true)
  })

  it('[case-N27] softplus keeps its ends', async () => {
    const [large, small, least] = (await apply(ops.softplus, [[100, -10, -20]])) as [number, number, number]
    expect(large).toBe(100)
    expect(small / 4.53999e-5).toBeCloseTo(1, 4)
    expect(least / 2.06115e-9).toBeCloseTo(1, 4)
  })

  it('[case-N28] places of extremes: the first of equals, −∞, and NaN as the greatest', async () => {
    const argmax = (...values: number[]) => reduced('argmax', Float32Array.from(values))
    expect(await argmax(-Infinity, -Infinity, -Infinity)).toBe(0)
    expect(await argmax(3, 5, 5)).toBe(1)
    expect(await reduced('max', new Float32Array(300).fill(-Infinity))).toBe(-Infinity)
    expect(await reduced('min', new Float32Array(300).fill(Infinity))).toBe(Infinity)
    for (const n of [3, 300, 70_000]) {
      const values = Float32Array.from({ length: n }, (_, i) => i % 7)
      values[n - 2] = NaN
      expect(await reduced('argmax', values), `n = ${n}`).toBe(n - 2)
    }
  })

  it('[case-N30] powers of negative numbers', async () => {
    expect(await apply(ops.powScalar, [[-2, -1, 0]], { exponent: 2 })).toEqual([4, 1, 0])
    const [cube, one, root] = await apply(ops.pow, [
      [-2, 0, -8],
      [3, 0, Math.fround(1 / 3)],
    ])
    expect([cube, one, root]).toEqual([-8, 1, NaN])
  })

  it('[case-N32] integers divide as integers', async () => {
    const quotient = compile(elementwise('quotient', { in: ['u32', 'u32'], out: 'u32' }, (x, y) => x.div(y)))
    const [x, y] = [upload(Uint32Array.of(4_294_967_295, 16_777_217)), upload(Uint32Array.of(2, 1))]
    const out = upload(new Uint32Array(2))
    await runtime().run(quotient, { x, y, out, n: 2 })
    expect([...(await out.read(Uint32Array))]).toEqual([2_147_483_647, 16_777_217])
  })

  it('[case-N33] floors of quotients', async () => {
    const floors = await apply(ops.floorDiv, [
      [-5, 9, -9],
      [3, -2, -2],
    ])
    expect(floors).toEqual([-2, -5, 4])
    const n = Array.from({ length: 4096 }, (_, i) => i + 1)
    expect((await apply(ops.floorDiv, [n, n])).every((q) => q === 1)).toBe(true)
  })

  it('[case-N36] halves round to even', async () => {
    expect(await apply(ops.round, [[0.5, 1.5, 2.5, -0.5, -1.5]])).toEqual([0, 2, 2, -0, -2])
  })

  it('[case-N38] NaN is found by its bits, in a fused kernel too', async () => {
    const found = elementwise('found', (x) => fn.select(f32(0), f32(1), isNan(x)))
    const present = elementwise('present', { in: ['f32'], out: ['f32', 'f32'] }, (x) => [
      fn.select(x, f32(0), isNan(x)),
      fn.select(f32(1), f32(0), isNan(x)),
    ])
    const x = Float32Array.from({ length: 64 }, (_, i) => (i % 13 === 5 ? NaN : i % 2 ? Infinity : i))
    const counted = empty(64)
    await runtime().run(compile(found), { x: upload(x), out: counted, n: 64 })
    expect(await reduced('sum', await counted.read(Float32Array))).toBe(5)
    const [values, counts] = [empty(3), empty(3)]
    await runtime().run(compile(present), { x: floats(NaN, 1, 3), out0: values, out1: counts, n: 3 })
    const sum = await reduced('sum', await values.read(Float32Array))
    expect(sum / (await reduced('sum', await counts.read(Float32Array)))).toBe(2)
  })

  it('[case-N40] operands that may be left out, in every combination', async () => {
    const [m, n, k] = [3, 8, 5]
    const [a, b, bias, residual] = [
      uniform(1, 15, -1, 1),
      uniform(2, 40, -1, 1),
      uniform(3, 8, 2, 3),
      uniform(4, 24, 5, 9),
    ]
    for (const given of [0, 1, 2, 3]) {
      const added = { ...(given & 1 ? { bias } : {}), ...(given & 2 ? { residual } : {}) }
      const buffers = Object.fromEntries(Object.entries(added).map(([name, data]) => [name, upload(data)]))
      const c = empty(24)
      await kernels.matmul(runtime(), { a: upload(a), b: upload(b), c, m, n, k, ...buffers }, options)
      const exact = kernels.matmulReference({ a, b, m, n, k, ...added })
      const got = await c.read(Float32Array)
      for (const [i, value] of exact.entries()) expect(got[i], `${Object.keys(added)}`).toBeCloseTo(value, 4)
    }
  })

  it('[case-N40] the bias of a sum before rmsnorm is its own operand', async () => {
    const [x, skip, bias, weight] = [1, 2, 3, 4].map((seed) => uniform(seed, 8, -1, 1)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    const [residual, y] = [upload(skip), empty(8)]
    const withBias = await apply(ops.add, [[...x], [...bias]])
    const args = { x: floats(...withBias), residual, weight: upload(weight), y, rows: 1, cols: 8 }
    await kernels.residualRmsnorm(runtime(), args, options)
    const sum = x.map((value, i) => value + (skip[i] as number) + (bias[i] as number))
    const exact = kernels.rmsnormReference({ x: sum, weight, rows: 1, cols: 8, eps: 1e-5 })
    const got = await y.read(Float32Array)
    for (const [i, value] of exact.entries()) expect(got[i]).toBeCloseTo(value, 5)
  })

  it('[case-N42] AdamW counts its steps from 1', async () => {
    const [p, g, m, v] = [floats(0), floats(1), floats(0), floats(0)]
    const args = { p, g, m, v, n: 1, lr: 0.1, decay: 0 }
    await expect(kernels.adamw(runtime(), { ...args, step: 0 }, options)).rejects.toThrow(
      'step must be an integer from 1',
    )
    for (const step of [1, 2, 3]) {
      await kernels.adamw(runtime(), { ...args, step }, options)
      expect((await p.read(Float32Array))[0]).toBeCloseTo(-0.1 * step, 5)
    }
  })
})

describe('reports: numerics of emission', () => {
  it('[case-N32] a quotient of u32 is one in WGSL', () => {
    const { variants } = compile(elementwise('quotient', { in: ['u32', 'u32'], out: 'u32' }, (x, y) => x.div(y)))
    expect(variants[0]?.wgsl).toMatch(/out\[i\] = x\[i\] \/ y\[i\];/)
  })
})
