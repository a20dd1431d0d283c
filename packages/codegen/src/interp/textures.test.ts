import { d, i32, input, kernel, output, texture, u32, vec2i, vec2u, vec3u, vec4f, vec4i, vec4u } from '@weft/dsl'
import { expect, test } from 'vitest'
import type { BoundTexture } from './index'
import { floats, run, words } from './testing/run'

const image = (
  format: string,
  size: readonly [number, number, number],
  data: Uint8Array | Float32Array | Uint32Array | Int32Array | Uint16Array,
  mipLevels = 1,
): BoundTexture => ({ format, size, mipLevels, bytes: new Uint8Array(data.buffer) })

test('a sampled texture: texels, zeros outside, levels, dimensions', () => {
  const k = kernel(
    'k',
    {
      workgroupSize: [1],
      bindings: { t: texture(d.texture2d(d.f32)), y: output(d.arrayOf(d.vec4f)), n: output(d.arrayOf(d.u32)) },
    },
    ({ t, y, n }) => {
      y.at(0).set(t.load(vec2u(1, 1)))
      y.at(1).set(t.load(vec2i(-1, 0)))
      y.at(2).set(t.load(vec2u(0, 0), { level: 1 }))
      y.at(3).set(t.load(vec2u(2, 0)))
      n.at(0).set((t.dimensions() as never as { x: never }).x)
      n.at(1).set(t.numLevels())
    },
  )
  const y = floats(16)
  const n = words(2)
  run(k, {
    t: image(
      'r32float',
      [2, 2, 1],
      floats(5, (i) => i + 1),
      2,
    ),
    y,
    n,
  })
  expect([...y]).toEqual([4, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 1, 0, 0, 0, 0])
  expect([...n]).toEqual([2, 2])
})

test.each([
  ['r32float', floats(4), [1.5, 0, 0, 1]],
  ['rg32float', floats(8), [1.5, -2, 0, 1]],
  ['rgba32float', floats(16), [1.5, -2, 0.3, 0.75].map(Math.fround)],
  ['rgba16float', new Uint16Array(16), [1.5, -2, 0.300048828125, 0.75]],
  ['rgba8unorm', new Uint8Array(16), [1, 0, 77 / 255, 191 / 255].map(Math.fround)],
  ['bgra8unorm', new Uint8Array(16), [1, 0, 77 / 255, 191 / 255].map(Math.fround)],
  ['rgba8snorm', new Uint8Array(16), [1, -1, 38 / 127, 95 / 127].map(Math.fround)],
] as const)('what is stored in %s is what is loaded, to its precision', (format, data, expected) => {
  const store = kernel(
    'store',
    { workgroupSize: [1], bindings: { t: texture(d.textureStorage2d(format as 'rgba32float', 'write-only')) } },
    ({ t }) => {
      t.store(vec2u(1, 1), vec4f(1.5, -2, 0.3, 0.75))
      t.store(vec2u(7, 0), vec4f(9))
    },
  )
  const load = kernel(
    'load',
    { workgroupSize: [1], bindings: { t: texture(d.texture2d(d.f32)), y: output(d.arrayOf(d.vec4f)) } },
    ({ t, y }) => {
      y.at(0).set(t.load(vec2u(1, 1)))
      y.at(1).set(t.load(vec2u(0, 0)))
    },
  )
  const y = floats(8)
  const t = image(format, [2, 2, 1], data)
  run(store, { t })
  run(load, { t, y })
  expect([...y.subarray(0, 4)]).toEqual(expected)
  expect([...y.subarray(4, 6)]).toEqual([0, 0])
})

test('integer formats clamp', () => {
  const k = kernel(
    'k',
    {
      workgroupSize: [1],
      bindings: {
        a: texture(d.textureStorage2d('rgba8uint', 'write-only')),
        b: texture(d.textureStorage2d('rgba16sint', 'write-only')),
        c: texture(d.textureStorage2d('r32uint', 'read-write')),
      },
    },
    ({ a, b, c }) => {
      a.store(vec2u(0, 0), vec4u(1, 300, 255, 4294967295))
      b.store(vec2u(0, 0), vec4i(1, -40000, 32767, i32(40000)))
      c.store(vec2u(0, 0), c.load(vec2u(0, 0)).add(4294967295))
    },
  )
  const a = image('rgba8uint', [1, 1, 1], new Uint8Array(4))
  const b = image('rgba16sint', [1, 1, 1], new Uint16Array(4))
  const c = image(
    'r32uint',
    [1, 1, 1],
    words(1, () => 5),
  )
  run(k, { a, b, c })
  expect([...a.bytes]).toEqual([1, 255, 255, 255])
  expect([...new Int16Array(b.bytes.buffer)]).toEqual([1, -32768, 32767, 32767])
  expect([...new Uint32Array(c.bytes.buffer)]).toEqual([4])
})

test('1d, 3d, layers and samples', () => {
  const bindings = {
    a: texture(d.texture1d(d.u32)),
    b: texture(d.texture3d(d.u32)),
    c: texture(d.texture2dArray(d.u32)),
    m: texture(d.textureMultisampled2d(d.u32)),
    i: input(d.arrayOf(d.u32)),
    y: output(d.arrayOf(d.u32)),
  }
  const k = kernel('k', { workgroupSize: [1], bindings }, ({ a, b, c, m, i, y }) => {
    y.at(0).set(a.load(i.at(2)).x)
    y.at(1).set(b.load(vec3u(1, 0, 1)).x)
    y.at(2).set(c.load(vec2u(0, 1), { layer: 2 }).x)
    y.at(3).set(c.numLayers())
    y.at(4).set(m.load(vec2u(1, 0), { level: 3 }).x)
    y.at(5).set(m.numSamples())
    y.at(6).set(a.dimensions() as never)
    y.at(7).set(c.load(vec2u(0, 1), { layer: 3 }).x.add(u32(0)))
  })
  const y = words(8)
  const count = (n: number) => words(n, (i) => i)
  run(k, {
    a: image('r32uint', [4, 1, 1], count(4)),
    b: image('r32uint', [2, 2, 2], count(8)),
    c: image('r32uint', [1, 2, 3], count(6)),
    m: image('r32uint', [2, 1, 1], count(8)),
    i: words(3, (x) => x),
    y,
  })
  expect([...y]).toEqual([2, 5, 5, 3, 7, 4, 4, 0])
})
