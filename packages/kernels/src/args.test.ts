import type { Runtime } from '@weft/runtime'
import { describe, expect, it, vi } from 'vitest'
import { type Arg, argsOf, checkFields, input, maybe, number, outputOver, size } from './args'
import * as kernels from './index'
import { hostFunctions } from './testing/host-functions'
import { bufferOf, refusal, tablesOf, takes, untouched, valuesOf } from './testing/tables'

/**
 * Every host function that the package exports, by the table of its arguments: what is wrong is refused before the device is asked for
 * anything. A function that checks no table is found here, and so is one whose table is not that of all of its arguments.
 */

vi.mock('./host', async (original) => (await import('./testing/recorded')).recorded(await original()))

const runtime = untouched as unknown as Runtime

/** What no argument of the kind may be. */
function wrongOf(arg: Arg<never>): readonly unknown[] {
  const { words, fields, each, access } = arg
  if (access) return [null, 'x', 7, [1, 2, 3], new Float32Array(4), {}, { buffer: {} }, { data: undefined }, () => 1]
  if (words) return [null, 'F16', 'float16', 'bf16', 'toString', 'name', 16, ['f32']]
  if (fields || each) return [null, 'x', 7, new Float32Array(4)]
  const numbers = [Number.NaN, '1', null, 1n, {}]
  if (takes(arg, 1)) return takes(arg, 0.5) ? numbers : [...numbers, 0.5, -1.5, Infinity]
  return takes(arg, true) ? [null, 'true', 1] : [null, 'x', 7]
}

describe('every host function', () => {
  it.each(hostFunctions)('%s says by its own name what is missing', async (name, run) => {
    const { args } = await tablesOf(name, run)
    const all = valuesOf(args)
    for (const [key, { optional }] of Object.entries(args)) {
      if (optional) continue
      const { [key]: _, ...rest } = all
      expect(await refusal(name, run, rest)).toMatchObject({
        code: 'bad-argument',
        message: expect.stringMatching(new RegExp(`^bad-argument: ${name}: ${key} must be .*, got undefined`)),
      })
    }
  })

  it.each(hostFunctions)('%s refuses what an argument may not be', async (name, run) => {
    const { args } = await tablesOf(name, run)
    const all = valuesOf(args)
    for (const [key, arg] of Object.entries(args)) {
      for (const wrong of wrongOf(arg)) {
        const { code, message } = await refusal(name, run, { ...all, [key]: wrong })
        expect(`${code}, ${message}`).toMatch(
          new RegExp(`^bad-argument, bad-argument: ${name}: ${key}(\\.data|\\[0\\])? must be .*, got `),
        )
      }
    }
  })

  it.each(hostFunctions)(
    '%s refuses one buffer for what it writes and anything else, but in place',
    async (name, run) => {
      const { args } = await tablesOf(name, run)
      const all = valuesOf(args)
      const buffers = Object.entries(args).filter(([, { access }]) => access)
      for (const [i, [a, one]] of buffers.entries()) {
        for (const [b, other] of buffers.slice(0, i)) {
          const inPlace = one.over?.includes(b) || other.over?.includes(a)
          if ((one.access === 'read' && other.access === 'read') || inPlace) continue
          const { code, message } = await refusal(name, run, { ...all, [a]: all[b] })
          expect(code).toBe('binding-overlap')
          expect(message).toMatch(
            new RegExp(`^binding-overlap: ${name}: (${a}|${b}) must be another buffer than (${a}|${b})`),
          )
        }
      }
    },
  )

  it('has a table', async () => {
    expect(hostFunctions.length).toBeGreaterThan(70)
    for (const [name, run] of hostFunctions)
      expect(Object.keys((await tablesOf(name, run)).args).length, name).toBeGreaterThan(1)
  })
})

describe('what is refused besides', () => {
  const refused = async (run: () => Promise<unknown>): Promise<string> => {
    try {
      await run()
    } catch (error) {
      return (error as Error).message
    }
    return expect.unreachable('it was taken')
  }
  const [x, y] = [bufferOf(4096), bufferOf(4096)]
  const one = { m: 8, n: 8, k: 8, a: x, b: x, dc: x }

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'results within weights',
      () => kernels.dequantize(runtime, { weights: { format: 'int8', w: x, scales: y, n: 1, k: 4 }, y: x } as never),
      'binding-overlap: dequantize: y must be another buffer than weights.w: the function writes it, and reads the other',
    ],
    [
      'gradients in one buffer that meet',
      () =>
        kernels.matmulBackward(runtime, { ...one, da: { data: y, offset: 0 }, db: { data: y, offset: 63 } } as never),
      'matmulBackward: da and db must not overlap',
    ],
    [
      'gradients side by side of which one reaches into the other',
      () =>
        kernels.matmulBackward(runtime, {
          ...one,
          da: { data: y, offset: 0, row: 16 },
          db: { data: y, offset: 7, row: 16 },
        } as never),
      'matmulBackward: da and db must not overlap',
    ],
    [
      'an output in place of the second input',
      () => kernels.runElementwise(runtime, kernels.ops.add, { inputs: [x, y], out: y, shape: [4] } as never),
      'in place, out may be inputs[0], in exactly the same range',
    ],
    [
      'an input that is none',
      () => kernels.runElementwise(runtime, kernels.ops.add, { inputs: [x, undefined], out: y, shape: [4] } as never),
      'bad-argument: runElementwise: inputs[1] must be a buffer of the device, or an object with one as its data, got undefined',
    ],
    [
      'the name of an operation',
      () => kernels.runElementwise(runtime, 'add' as never, { inputs: [x, x], out: y, shape: [4] } as never),
      "runElementwise: the operation must be one of ops, got 'add'",
    ],
    [
      'a type that is the name of something else',
      () =>
        kernels.runElementwise(runtime, kernels.ops.add, { inputs: [x, x], out: y, shape: [4], type: 'name' } as never),
      "runElementwise: type must be one of f32, f16, i32, bool, got 'name'",
    ],
    [
      'a type of a cache, by what was given',
      () => kernels.attentionDecode(runtime, { ...decoded, cacheType: 'int8' } as never),
      "attentionDecode: cacheType must be one of f32, f16, got 'int8'",
    ],
    [
      'elements of half the size, as f16 has them',
      () => kernels.saxpy(runtime, { x: bufferOf(200), y, n: 100, alpha: 1 } as never),
      'saxpy: x must have 100 elements, and has 50\n  note: its 200 bytes are as many elements of 2 bytes, and here they have 4, as those of a Float32Array, an Int32Array or a Uint32Array',
    ],
    [
      'bytes in place of integers',
      () => kernels.matmulInt8(runtime, { a: x, b: bufferOf(4096), c: bufferOf(64), m: 8, n: 8, k: 8 } as never),
      'matmulInt8: c must have 64 elements, and has 16\n  note: its 64 bytes are as many elements of 1 byte, and here they have 4, as those of a Float32Array',
    ],
    [
      'data of the host, which is uploaded as what it is',
      () => kernels.matmulInt8(runtime, { a: new Int8Array(64), b: x, c: y, m: 8, n: 8, k: 8 } as never),
      'matmulInt8: a must be a buffer of the device, or an object with one as its data, got an Int8Array\n  note: upload it: runtime.buffer(new Int8Array(…))',
    ],
    [
      'a buffer that was destroyed',
      () => kernels.saxpy(runtime, { x: { size: 16, destroyed: true }, y, n: 4, alpha: 1 } as never),
      'buffer-destroyed: saxpy: x was destroyed',
    ],
  ])('%s', async (_, run, message) => {
    expect(await refused(run)).toContain(message)
  })
  const decoded = { q: x, k: x, v: x, out: y, batch: 1, heads: 1, keys: 1, headSize: 4 }

  it('weights of a format that there is not, no whole numbers of rows, and numbers that spoil a scale', () => {
    const quantize = (format: string, n: number, x: readonly number[]) => () =>
      kernels.quantizeWeights(format as 'int8', x, { n, k: 2 })
    expect(quantize('int5', 1, [1, 2])).toThrow(
      "quantizeWeights: format must be one of int8, uint8, int4, int4_zeros, got 'int5'",
    )
    expect(quantize('int8', 0.5, [1])).toThrow('quantizeWeights: n must be an integer from 0 on, got 0.5')
    expect(quantize('int8', 1, [1])).toThrow('quantizeWeights: x must have 2 elements, and has 1')
    expect(quantize('int8', 1, [1, Number.NaN])).toThrow('quantizeWeights: x[1] is NaN')
  })
})

describe('a table', () => {
  interface Two {
    readonly x: number
    readonly y?: number
  }

  it('has all keys of its type, and what each of them is', () => {
    argsOf<Two>({ x: number, y: maybe(size) })
    // @ts-expect-error: y is missing
    argsOf<Two>({ x: number })
    // @ts-expect-error: y may be left out
    argsOf<Two>({ x: number, y: size })
    // @ts-expect-error: x is a number
    argsOf<Two>({ x: input, y: maybe(size) })
  })

  it('gives the buffers among the values', () => {
    const args = argsOf<{ readonly x: never; readonly y: never }>({ x: input, y: outputOver('x') } as never)
    const [x, y] = [bufferOf(4), bufferOf(4)]
    expect(checkFields('f', { x, y }, args)).toEqual([
      { arg: 'x', name: 'x', buffer: x, access: 'read', over: [], offset: 0 },
      { arg: 'y', name: 'y', buffer: y, access: 'write', over: ['x'], offset: 0 },
    ])
  })
})
