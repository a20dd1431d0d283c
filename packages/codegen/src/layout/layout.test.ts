import { d, input, kernel, output, texture, uniform, vec4f } from '@weft/dsl'
import { WeftError } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { compile } from '../index'
import { fitsImmediates, paramsLayout } from './params'

const f32s = d.arrayOf(d.f32)
const withParams = (params: Record<string, unknown>) =>
  kernel('test', { workgroupSize: [1], bindings: {}, params }, () => {}).ir()

describe('params', () => {
  test('are laid out as WGSL does it, and padded to 16 bytes', () => {
    expect(paramsLayout(withParams({ a: d.u32, v: d.vec3f, s: d.f32, w: d.vec2f, m: d.mat3x3f, i: d.i32 }))).toEqual({
      size: 112,
      fields: [
        { name: 'a', type: 'u32', offset: 0, size: 4 },
        { name: 'v', type: 'vec3f', offset: 16, size: 12 },
        { name: 's', type: 'f32', offset: 28, size: 4 },
        { name: 'w', type: 'vec2f', offset: 32, size: 8 },
        { name: 'm', type: 'mat3x3f', offset: 48, size: 48 },
        { name: 'i', type: 'i32', offset: 96, size: 4 },
      ],
    })
    expect(paramsLayout(withParams({}))).toBeNull()
  })

  test('arrays of scalars are packed four to a vec4, pairs are padded', () => {
    expect(
      paramsLayout(
        withParams({ w: d.arrayOf(d.f32, 6), p: d.arrayOf(d.vec2u, 2), q: d.arrayOf(d.vec4f, 2), n: d.u32 }),
      ),
    ).toEqual({
      size: 112,
      fields: [
        { name: 'w', type: 'array<f32, 6>', offset: 0, size: 24 },
        { name: 'p', type: 'array<vec2u, 2>', offset: 32, size: 32 },
        { name: 'q', type: 'array<vec4f, 2>', offset: 64, size: 32 },
        { name: 'n', type: 'u32', offset: 96, size: 4 },
      ],
    })
  })

  test('are immediates where they fit', () => {
    expect(fitsImmediates(withParams({ m: d.mat4x4f }))).toBe(true)
    expect(fitsImmediates(withParams({ m: d.mat4x4f, n: d.u32 }))).toBe(false)
    expect(fitsImmediates(withParams({ w: d.arrayOf(d.f32, 2) }))).toBe(false)
    expect(fitsImmediates(withParams({ h: d.f16 }))).toBe(false)
    expect(fitsImmediates(withParams({}))).toBe(false)
  })

  test('refuse arrays that uniform memory cannot hold', () => {
    expect(() => paramsLayout(withParams({ m: d.arrayOf(d.f32, 3), x: d.arrayOf(d.mat2x2f, 2) }))).not.toThrow()
    expect(() => paramsLayout(withParams({ h: d.arrayOf(d.vec4h, 3) }))).toThrow(WeftError)
  })
})

test('bindings go into one group in order of declaration, params last', () => {
  const compiled = compile(
    kernel(
      'test',
      {
        workgroupSize: [8, 8],
        bindings: {
          x: input(d.arrayOf(d.vec3f)),
          c: uniform(d.struct({ a: d.f32, b: d.vec2f }).$name('Config')),
          y: output(f32s, { writes: 'partial' }),
          image: texture(d.texture2d(d.i32)),
          store: texture(d.textureStorage2d('rgba8unorm', 'write-only')),
        },
        params: { n: d.u32 },
        guards: 'off',
      },
      ({ x, y, c, n, store }, k) => {
        store.store(k.globalId.xy, vec4f(1))
        y.at(k.localIndex).set(x.at(n).x.add(c.a))
      },
    ),
  )
  const v = compiled.variants.find((w) => w.id === 'portable')
  expect(v?.layouts).toEqual([
    {
      label: 'test',
      entries: [
        { binding: 0, visibility: 4, buffer: { type: 'read-only-storage', minBindingSize: 16 } },
        { binding: 1, visibility: 4, buffer: { type: 'uniform', minBindingSize: 16 } },
        { binding: 2, visibility: 4, buffer: { type: 'storage', minBindingSize: 4 } },
        { binding: 3, visibility: 4, texture: { sampleType: 'sint', viewDimension: '2d', multisampled: false } },
        {
          binding: 4,
          visibility: 4,
          storageTexture: { access: 'write-only', format: 'rgba8unorm', viewDimension: '2d' },
        },
        { binding: 5, visibility: 4, buffer: { type: 'uniform', minBindingSize: 16 } },
      ],
    },
  ])
  expect(v?.params).toEqual({ via: 'uniform', group: 0, binding: 5 })
  expect(compiled.bindings[0]).toEqual({
    name: 'x',
    kind: 'storage',
    access: 'read',
    type: 'array<vec3f>',
    element: { type: 'vec3f', stride: 16 },
    minBindingSize: 16,
    writes: null,
  })
  expect(compiled.bindings[2]).toMatchObject({
    access: 'write',
    writes: 'partial',
    element: { type: 'f32', stride: 4 },
  })
})
