import type { Runtime } from '@weft/runtime'
import { describe, expect, it } from 'vitest'
import { checkKeys } from './args'
import * as kernels from './index'
import { BEFORE, type HostFunction, hostFunctions } from './testing/host-functions'

/** No test here gets so far that a device is asked. */
const runtime = new Proxy(
  { owns: true },
  { get: () => expect.unreachable('the device was asked') },
) as unknown as Runtime

/** As much of one as is asked about buffers that it has. */
const own = { owns: () => true, info: { limits: {} } } as unknown as Runtime

const refusal = async (name: string, run: HostFunction, args: unknown, options?: unknown): Promise<string> => {
  try {
    await run(runtime, ...(BEFORE[name] ?? []), args, options)
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError)
    return (error as Error).message
  }
  return expect.unreachable(`${name} took it`)
}

describe('host functions', () => {
  it('are all here', () => {
    const names = hostFunctions.map(([name]) => name)
    expect(names).toEqual(
      expect.arrayContaining(['matmul', 'softmaxBackward', 'embeddingBackward', 'projectQkv', 'conv1d']),
    )
    expect(names.length).toBeGreaterThan(70)
  })

  it.each(hostFunctions)('%s refuses a key that it does not know, and names those that it does', async (name, run) => {
    const message = await refusal(name, run, { transposeb: true })
    expect(message).toMatch(
      /^bad-argument: \w+: there is no 'transposeb'(, did you mean 'transpose\w+'\?)?; known are \w+(, \w+)+$/,
    )
  })

  it.each(hostFunctions)('%s refuses what is no object', async (name, run) => {
    expect(await refusal(name, run, undefined)).toMatch(
      /^bad-argument: \w+: takes an object with \w+(, \w+)+, got undefined$/,
    )
  })

  it.each(hostFunctions)(
    '%s refuses an option that it does not know, and options that are no object',
    async (name, run) => {
      const message = await refusal(name, run, {}, { Verify: true })
      expect(message).toMatch(
        /^bad-argument: options of \w+: there is no 'Verify', did you mean 'verify'\?; known are \w+(, \w+)+$/,
      )
      expect(await refusal(name, run, {}, null)).toMatch(
        /^bad-argument: options of \w+: takes an object with .*, got null$/,
      )
    },
  )

  it('take options that are theirs', async () => {
    const bindingLimit = async (name: string): Promise<string> =>
      refusal(name, (kernels as unknown as Record<string, HostFunction>)[name] as HostFunction, {}, { bindingLimit: 4 })
    expect(await bindingLimit('matmul')).toMatch(/^bad-argument: matmul: a must be/)
    expect(await bindingLimit('softmax')).toBe(
      "bad-argument: options of softmax: there is no 'bindingLimit'; known are kernel, kernels, verify",
    )
    expect(await bindingLimit('scan')).toBe(
      "bad-argument: options of scan: there is no 'bindingLimit'; known are kernels, verify",
    )
  })
})

/** What stands before the object that has keys, and what is right where there are several. */
const BEFORE_KEYS: Readonly<Record<string, readonly unknown[]>> = {
  reduceReference: [() => 0],
  dropoutReference: [[1]],
  quantizeReference: [[1]],
  addInt8Reference: [[1]],
  reluInt8Reference: [[1]],
}
/** They take lists and numbers, which have no names. */
const WITHOUT_KEYS = ['argsortReference', 'histogramReference', 'clipReference', 'meanSquaredErrorReference']

const onHost = Object.entries(kernels).filter(
  ([name, value]) =>
    typeof value === 'function' &&
    (/Reference$/.test(name) ? !WITHOUT_KEYS.includes(name) : ['ropeTable', 'dequantizeWeights'].includes(name)),
) as unknown as readonly (readonly [string, (...args: readonly unknown[]) => unknown])[]

describe('what is computed on the host', () => {
  it('is all here', () => expect(onHost.length).toBeGreaterThan(40))

  it.each(onHost)('%s refuses a key that it does not know', (name, run) => {
    const given = (bad: unknown) => (name === 'elementwiseReference' ? [() => 0, [bad], [1]] : [bad])
    for (const bad of [{ transposeb: true }, { Rows: 1 }])
      expect(() => run(...(BEFORE_KEYS[name] ?? []), ...given(bad))).toThrow(
        new RegExp(
          `^bad-argument: (options of )?${name}: (inputs\\[0\\]: )?there is no '${Object.keys(bad)[0]}'.*; known are \\w+`,
        ),
      )
  })

  it('and what is within its arguments', () => {
    const pair = { data: [1], stride: 1 } as never
    const attention = { q: [1], k: [1], v: [1], batch: 1, heads: 1, queries: 1, keys: 1, headSize: 1 }
    expect(() => kernels.attentionReference({ ...attention, mask: pair })).toThrow("mask: there is no 'stride'")
    const sample = { logits: [1], seeds: [1], rows: 1, cols: 1, choices: [{ topk: 1 } as never] }
    expect(() => kernels.sampleReference(sample)).toThrow("choices[0]: there is no 'topk', did you mean 'topK'?")
    const place = { data: [1], shape: [1], strides: [1] }
    expect(() => kernels.copyReference({ from: { ...place, at: 1 } as never, to: place, shape: [1] })).toThrow(
      "copyReference: from: there is no 'at'",
    )
    const state = { p: [1], g: [1], b: [1] }
    expect(() => kernels.sgdReference(state, { lr: 1, Nesterov: true } as never)).toThrow("there is no 'Nesterov'")
  })

  it.each([0, -3, Number.NaN, Infinity, '10000'])('ropeTable refuses a base of %s', (base) => {
    expect(() => kernels.ropeTable({ positions: 1, rotary: 2, base: base as number })).toThrow(
      'ropeTable: base must be a finite number above 0, got',
    )
  })
})

describe('without a runtime', () => {
  const forgotten: readonly unknown[] = [undefined, null, {}, 'webgpu', { a: 1, m: 1 }]
  const all = { ...kernels } as unknown as Record<string, HostFunction>
  it.each([...hostFunctions.map(([name]) => name), 'uploadWeights', 'verdicts', 'trusted', 'gated'])(
    '%s says that it is the first argument',
    async (name) => {
      for (const given of forgotten)
        await expect((async () => all[name]?.(given, ...(BEFORE[name] ?? []), {}))()).rejects.toThrow(
          new RegExp(`^bad-argument: ${name}: the first argument must be the runtime, got `),
        )
    },
  )
})

describe('checkKeys', () => {
  it.each([
    ['verfy', 'verify'],
    ['verfiy', 'verify'],
    ['ofset', 'offset'],
    ['offsett', 'offset'],
    ['offsed', 'offset'],
    ['ver', undefined],
    ['m', undefined],
  ])('takes %s for %s', (key, meant) => {
    const suggested = meant === undefined ? '' : `, did you mean '${meant}'?`
    expect(() => checkKeys('f', { [key]: 1 }, ['n', 'verify', 'offset'])).toThrow(
      `f: there is no '${key}'${suggested}; known are n, verify, offset`,
    )
  })

  it('says which key is meant where one differs by case or underscores only', () => {
    const names = ['a', 'transposeB']
    const check = (given: unknown) => () => checkKeys('matmul', given, names)
    expect(check({ a: 1, transposeB: true })).not.toThrow()
    expect(check({})).not.toThrow()
    expect(check({ a: 1, transpose_b: true })).toThrow(
      "matmul: there is no 'transpose_b', did you mean 'transposeB'?; known are a, transposeB",
    )
    expect(check({ b: 1 })).toThrow("matmul: there is no 'b'; known are a, transposeB")
    expect(check(null)).toThrow('matmul: takes an object with a, transposeB, got null')
  })
})

describe('options that mean nothing', () => {
  const x = { size: 4096 } as never
  const y = { size: 4096 } as never
  const image = { x, y, weight: x, items: 1, channels: 1, size: [1, 1], outs: 1, filter: [1, 1] } as const
  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a correction of a sum',
      () => kernels.reduce(own, 'sum', { x, shape: [4], out: y, correction: 1 }),
      'reduce: correction is of variance alone, got 1 with sum',
    ],
    [
      'a result clamped to nothing',
      () => kernels.conv2d(own, { ...image, low: 6, high: 0 }),
      'conv2d: low must be at most high = 0, got 6',
    ],
    [
      "Nesterov's form without momentum",
      () => kernels.sgd(own, { p: x, g: y, b: { size: 4096 } as never, n: 4, lr: 1, nesterov: true }),
      'sgd: nesterov needs momentum above 0, got 0',
    ],
  ])('%s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(message)
  })
})

describe('what is inside of arguments', () => {
  const x = { size: 4096 } as never
  const sizes = { batch: 1, heads: 1, queries: 1, keys: 1, headSize: 4 }
  const all = { q: x, k: x, v: x, out: x, ...sizes }

  const packed = kernels.quantizeWeights('int4', [1, 2], { n: 1, k: 2 })
  const blocks = { format: 'q8_0', w: new Uint8Array(34), n: 1, k: 32 }

  it.each<[string, () => Promise<unknown> | unknown, string]>([
    [
      'weights of the host',
      () => kernels.quantizedMatmul(runtime, { weights: packed as never, x, y: x, m: 1 }),
      'quantizedMatmul: weights.w must be a buffer of the device, got a Uint32Array\n  note: take all parts to the device: weights: uploadWeights(runtime, packed)',
    ],
    [
      'blocks of the host',
      () => kernels.blockMatmul(runtime, { weights: blocks as never, x, y: x, m: 1 }),
      'blockMatmul: weights.w must be a buffer of the device, got a Uint8Array\n  note: take the blocks to the device: runtime.buffer(blocks)',
    ],
    [
      'weights for another function',
      () => kernels.blockMatmul(runtime, { weights: packed as never, x, y: x, m: 1 }),
      "blockMatmul: weights.format must be one of q4_0, q5_0, q8_0, q4_k, q5_k, q6_k, got 'int4'\n  note: dequantize, quantizedEmbedding and quantizedMatmul take 'int4'",
    ],
    [
      'blocks for another function',
      () => kernels.quantizedMatmul(runtime, { weights: { ...blocks, offset: 0 } as never, x, y: x, m: 1 }),
      "quantizedMatmul: weights.format must be one of int8, uint8, int4, int4_zeros, got 'q8_0'\n  note: dequantizeBlocks, ",
    ],
    [
      'a matrix',
      () => kernels.matmul(runtime, { a: { data: x, rows: 1 } as never, b: x, c: x, m: 1, n: 1, k: 1 }),
      "matmul: a: there is no 'rows', did you mean 'row'?; known are data, offset, row, batch",
    ],
    [
      'a mask',
      () => kernels.attention(runtime, { ...all, mask: { data: x, stride: [0, 0, 0, 1] } as never }),
      "attention: mask: there is no 'stride', did you mean 'strides'?; known are data, strides",
    ],
    [
      'a dropout',
      () => kernels.attention(runtime, { ...all, dropout: { probability: 0, seed: 1, p: 0 } as never }),
      "attention: dropout: there is no 'p'; known are probability, seed",
    ],
    [
      'weights',
      () => kernels.quantizedMatmul(runtime, { weights: { groups: 32 } as never, x, y: x, m: 1 }),
      "quantizedMatmul: weights: there is no 'groups', did you mean 'group'?; known are format, w, scales, zeros, n, k, group",
    ],
    [
      'blocks',
      () => kernels.blockMatmul(runtime, { weights: { group: 32 } as never, x, y: x, m: 1 }),
      "blockMatmul: weights: there is no 'group'; known are format, w, offset, n, k",
    ],
    [
      'a tensor of int8',
      () => kernels.reluInt8(runtime, { x: { data: x, scale: 1, zeros: 0 } as never, out: x, n: 4 }),
      "reluInt8: x: there is no 'zeros', did you mean 'zero'?; known are data, scale, zero",
    ],
    [
      'a place',
      () => kernels.copy(runtime, { from: { data: x, stride: [1] } as never, to: { data: x }, shape: [1] }),
      "copy: from: there is no 'stride', did you mean 'strides'?; known are data, strides, offset",
    ],
    [
      'what is joined',
      () => kernels.concatenate(runtime, { inputs: [{ x, shape: [1], axis: 0 } as never], axis: 0, out: x }),
      "concatenate: inputs[0]: there is no 'axis'; known are x, shape",
    ],
    [
      'an input of an operation',
      () => kernels.runElementwise(runtime, kernels.ops.abs, { inputs: [{ data: x, shapes: [1] } as never], out: x }),
      "runElementwise: inputs[0]: there is no 'shapes', did you mean 'shape'?; known are data, shape, strides, offset",
    ],
    [
      'a param that is the number of elements',
      () =>
        kernels.runElementwise(own, kernels.ops.fill, { inputs: [], out: x, shape: [4], params: { value: 1, n: 1 } }),
      "runElementwise: fill has no param 'n'; its params are value",
    ],
    [
      'a param of an operation that has none',
      () => kernels.runElementwise(own, kernels.ops.abs, { inputs: [x], out: x, shape: [4], params: { alpha: 1 } }),
      "runElementwise: abs has no param 'alpha'; it has none",
    ],
    [
      'a param that is missing',
      () => kernels.runElementwise(own, kernels.ops.clamp, { inputs: [x], out: x, shape: [4], params: { low: 1 } }),
      'runElementwise: params.high of clamp must be a number, got undefined',
    ],
    [
      'a param that is no integer',
      () =>
        kernels.runElementwise(own, kernels.ops.fill, {
          inputs: [],
          out: x,
          shape: [4],
          type: 'i32',
          params: { value: 0.5 },
        }),
      'runElementwise: params.value of fill must be an integer, got 0.5',
    ],
    [
      'the choice of a row',
      () => kernels.sampleChoices([{ topk: 1 } as never]),
      "sampleChoices: choices[0]: there is no 'topk', did you mean 'topK'?; known are temperature, topK, topP",
    ],
  ])('%s', async (_, run, message) => {
    await expect((async () => run())()).rejects.toThrow(message)
  })
})
