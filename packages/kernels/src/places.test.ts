import type { Runtime } from '@weft/runtime'
import { describe, expect, it, vi } from 'vitest'
import * as kernels from './index'
import { checkPlaces, type Given } from './places'
import { hostFunctions } from './testing/host-functions'
import { bufferOf, refusal, tablesOf, valuesOf } from './testing/tables'

/**
 * Every host function that the package exports: each of the buffers that it takes, wherever in its arguments, is refused by the name of the
 * argument where a device could not bind it.
 */

vi.mock('./host', async (original) => (await import('./testing/recorded')).recorded(await original()))

/** As much of a runtime as is asked about buffers, before anything else. */
const runtime = (own = true, device: object | null = {}) => ({
  owns: () => own,
  device,
  info: { limits: { minStorageBufferOffsetAlignment: 256 } },
})
const whole = { size: 4096 }
const gpuBuffer = (usage: number) => ({ size: 4096, usage, mapAsync: () => undefined })

const WRONG: readonly (readonly [what: string, buffer: unknown, message: string, runtime?: object])[] = [
  [
    'of another runtime',
    { size: 64, memoryId: 7 },
    'foreign-buffer: NAME is a buffer of another runtime',
    runtime(false),
  ],
  [
    'a part of one of another runtime',
    { buffer: { size: 64, memoryId: 7 } },
    'foreign-buffer: NAME is a buffer of another runtime',
    runtime(false),
  ],
  ['without STORAGE', gpuBuffer(4), 'binding-type: NAME is a GPUBuffer without STORAGE usage', runtime()],
  [
    'on the CPU',
    gpuBuffer(0x80),
    'binding-type: NAME is a GPUBuffer, and the runtime is on the CPU',
    runtime(true, null),
  ],
  [
    'at an odd offset',
    { buffer: whole, offset: 4 },
    'binding-size: NAME starts at byte 4, expected a multiple of 256 (minStorageBufferOffsetAlignment)\n' +
      '  note: it could start at 0 or 256; runtime.arena(bytes) places tensors in one buffer that a dispatch only reads, or only writes',
    runtime(),
  ],
  [
    'at no offset',
    { buffer: whole, offset: '256' },
    "bad-argument: NAME.offset must be an integer from 0 on, got '256'",
  ],
  [
    'before its begin',
    { buffer: whole, offset: -256 },
    'bad-argument: NAME.offset must be an integer from 0 on, got -256',
  ],
  ['of no size', { buffer: whole, size: Number.NaN }, 'bad-argument: NAME.size must be an integer from 0 on, got NaN'],
  [
    'beyond its end',
    { buffer: whole, offset: 4000, size: 100 },
    'binding-size: NAME must lie within its buffer of 4096 bytes, got 100 bytes from byte 4000',
  ],
  [
    'all beyond its end',
    { buffer: { buffer: whole, size: 256 }, offset: 512 },
    'binding-size: NAME must lie within its buffer of 256 bytes, got 0 bytes from byte 512',
  ],
  [
    'with another key',
    { buffer: whole, ofset: 256 },
    "bad-argument: NAME: there is no 'ofset', did you mean 'offset'?; known are buffer, offset, size",
  ],
  [
    'a part of one that was destroyed',
    { buffer: { size: 64, destroyed: true } },
    'buffer-destroyed: NAME was destroyed',
  ],
]

describe('every host function', () => {
  it.each(hostFunctions)('%s names the buffer that it cannot use', async (name, run) => {
    const { args } = await tablesOf(name, run)
    let buffers = 0
    valuesOf(args, () => bufferOf(buffers++))
    expect(buffers).toBeGreaterThan(0)
    for (let at = 0; at < buffers; at++)
      for (const [, wrong, expected, own] of WRONG) {
        let next = 0
        const values = valuesOf(args, () => (next++ === at ? wrong : bufferOf(4096)))
        const { code, message } = await refusal(name, run, values, undefined, own)
        const [, named] = /^[\w-]+: (\w+: \w+(?:\.\w+|\[\d+\])*?)(?:\.offset|\.size| |:)/.exec(message) ?? []
        expect(named?.split(/[.[]/)[0]).toMatch(new RegExp(`^${name}: (${Object.keys(args).join('|')})$`))
        expect(message.startsWith(expected.replace('NAME', named as string)), message).toBe(true)
        expect(code).toBe(expected.split(':')[0])
      }
  })

  it.each(hostFunctions)('%s refuses to write a part of a buffer of which it reads another part', async (name, run) => {
    const { args } = await tablesOf(name, run)
    const buffers = Object.entries(args).filter(([, { access }]) => access)
    const all = valuesOf(args)
    for (const [i, [a, one]] of buffers.entries())
      for (const [b, other] of buffers.slice(0, i)) {
        if ((one.access === 'read') === (other.access === 'read')) continue
        const [written, read] = one.access === 'read' ? [b, a] : [a, b]
        const parts = { [a]: { buffer: whole, size: 256 }, [b]: { buffer: whole, offset: 256, size: 256 } }
        const { code, message } = await refusal(name, run, { ...all, ...parts }, undefined, runtime())
        expect(code).toBe('binding-overlap')
        expect(message).toContain(
          `binding-overlap: ${name}: ${written} must be in another buffer than ${read}: the function writes it, and reads the other\n  note: `,
        )
      }
  })
})

it('a product with few rows, which is turned, names the factors as the caller does', async () => {
  const [n, k] = [512, 512]
  const buffer = (elements: number) => ({ size: 4 * elements })
  const given = { a: buffer(k), b: buffer(k * n), c: buffer(n), m: 1, n, k }
  const matmul = (more: object) => kernels.matmul(runtime(false) as never, { ...given, ...more } as never)
  await expect(matmul({ a: { ...buffer(k), memoryId: 3 } })).rejects.toThrow('matmul: a is a buffer of another runtime')
  await expect(matmul({ b: { ...buffer(k * n), memoryId: 3 } })).rejects.toThrow(
    'matmul: b is a buffer of another runtime',
  )
})

describe('two buffers', () => {
  const given = (arg: string, access: 'read' | 'write', buffer: unknown, over: readonly string[] = []) =>
    ({ arg, name: arg, access, buffer, over, offset: 0 }) as Given
  const check = (x: Given, y: Given) => () => checkPlaces(runtime() as unknown as Runtime, 'f', [x, y])
  const first = { buffer: whole, size: 512 }
  const [second, meeting] = [
    { buffer: whole, offset: 512 },
    { buffer: whole, offset: 256 },
  ]
  const view = (memoryId: number, offset: number, size: number) => ({ memoryId, offset, size })

  it('that are both written may be parts of one that do not meet', () => {
    const written = (x: unknown, y: unknown) => check(given('x', 'write', x), given('y', 'write', y))
    expect(written(first, second)).not.toThrow()
    expect(written(first, meeting)).toThrow(
      'f: y must be another buffer than x: the function writes it, and writes the other\n' +
        '  note: both are written: use two buffers, or two ranges of one that do not overlap',
    )
    expect(written(view(7, 0, 256), view(7, 256, 256))).not.toThrow()
    expect(written(view(7, 0, 260), view(7, 256, 256))).toThrow('f: y must be another buffer than x')
    expect(written(view(7, 0, 260), view(8, 256, 256))).not.toThrow()
  })

  it('of which one is read are no parts of one, unless one of them is empty', () => {
    const read = (x: unknown, y: unknown) => check(given('x', 'read', x), given('y', 'write', y))
    expect(read(first, second)).toThrow(
      'f: y must be in another buffer than x: the function writes it, and reads the other\n' +
        '  note: WebGPU allows only one of the two for a whole buffer, even in parts that are apart: use two buffers',
    )
    expect(read(first, meeting)).toThrow('f: y must be another buffer than x: the function writes it, and reads the')
    expect(read(view(7, 0, 256), view(7, 256, 256))).toThrow('f: y must be in another buffer than x')
    expect(read(view(7, 0, 0), view(7, 256, 256))).not.toThrow()
    expect(check(given('x', 'read', first), given('y', 'read', meeting))).not.toThrow()
  })

  it('are in place in exactly the same range', () => {
    const over = (x: unknown, y: unknown) => check(given('x', 'read', x), given('y', 'write', y, ['x']))
    expect(over(whole, whole)).not.toThrow()
    expect(over(whole, first)).toThrow('y may be x, in exactly the same range')
    expect(over(first, second)).toThrow('y may be x, in exactly the same range')
    expect(check(given('z', 'read', first), given('y', 'write', second, ['x']))).toThrow(
      'y must be in another buffer than z: the function writes it, and reads the other\n' +
        '  note: WebGPU allows only one of the two for a whole buffer, even in parts that are apart: use two buffers; ' +
        'in place, y may be x, in exactly the same range',
    )
  })
})
