import { d, input, kernel, output, texture, u32, vec2u, vec3u, vec4f, vec4i, vec4u } from '@weft/dsl'
import type { ParityCase, TextureData } from '../case.js'
import { f32of, f32s, partly, u32of, u32s } from '../data.js'

const raw = (data: Float32Array | Uint32Array | Int32Array | Uint8Array): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
const image = (format: GPUTextureFormat, size: TextureData['size'], data: Parameters<typeof raw>[0]): TextureData => ({
  texture: format,
  size,
  bytes: raw(data),
})
const W = 5
const H = 3

/** Textures without samplers: loads, stores, dimensions, of each component type. */
export const textures: readonly ParityCase[] = [
  {
    name: 'textures: load from a sampled texture of floats',
    kernel: kernel(
      'load_float',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.texture2d(d.f32)), out: output(d.arrayOf(d.f32)) },
      },
      ({ t, out }, k) => {
        out.at(k.localIndex).set(t.load(k.localId.xy).x)
      },
    ),
    bindings: {
      t: image(
        'r32float',
        [W, H, 1],
        f32of(W * H, (i) => i / 4),
      ),
      out: partly(W * H + 1, f32s()),
    },
    expect: {
      out: partly(
        W * H + 1,
        f32of(W * H, (i) => i / 4),
      ),
    },
  },
  {
    name: 'textures: load from a sampled texture of integers',
    kernel: kernel(
      'load_uint',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.texture2d(d.u32)), out: output(d.arrayOf(d.vec4u)) },
      },
      ({ t, out }, k) => {
        out.at(k.localIndex).set(t.load(k.localId.xy))
      },
    ),
    bindings: {
      t: image(
        'rgba8uint',
        [W, H, 1],
        Uint8Array.from({ length: W * H * 4 }, (_, i) => i * 3),
      ),
      out: partly(W * H * 4 + 4, u32s()),
    },
    expect: {
      out: partly(
        W * H * 4 + 4,
        u32of(W * H * 4, (i) => (i * 3) & 255),
      ),
    },
  },
  {
    name: 'textures: load of signed integers',
    kernel: kernel(
      'load_sint',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.texture2d(d.i32)), out: output(d.arrayOf(d.i32)) },
      },
      ({ t, out }, k) => {
        out.at(k.localIndex).set(t.load(k.localId.xy).x)
      },
    ),
    bindings: {
      t: image(
        'r32sint',
        [W, H, 1],
        Int32Array.from({ length: W * H }, (_, i) => i - 7),
      ),
      out: partly(W * H + 1, u32s()),
    },
    expect: {
      out: partly(
        W * H + 1,
        u32of(W * H, (i) => i - 7),
      ),
    },
  },
  {
    name: 'textures: normalized bytes',
    kernel: kernel(
      'load_unorm',
      {
        workgroupSize: [4],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.texture2d(d.f32)), out: output(d.arrayOf(d.vec4f)) },
      },
      ({ t, out }, k) => {
        out.at(k.localIndex).set(t.load(vec2u(k.localIndex, 0)))
      },
    ),
    bindings: {
      t: image(
        'rgba8unorm',
        [4, 1, 1],
        Uint8Array.from([0, 51, 102, 255, 1, 2, 3, 4, 128, 127, 254, 253, 10, 20, 30, 40]),
      ),
      out: partly(17, f32s()),
    },
    tolerance: { kind: 'ulp', ulp: 2, because: 'the division by 255 may be a multiplication' },
  },
  {
    name: 'textures: store floats',
    kernel: kernel(
      'store_float',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.textureStorage2d('rgba32float', 'write-only')) },
      },
      ({ t }, k) => {
        t.store(k.localId.xy, vec4f(1, 2, 3, 4))
      },
    ),
    bindings: { t: image('rgba32float', [W, H, 1], new Float32Array(W * H * 4)) },
    expect: { t: f32of(W * H * 4, (i) => (i % 4) + 1) },
  },
  {
    name: 'textures: store integers at signed coordinates',
    kernel: kernel(
      'store_uint',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.textureStorage2d('r32uint', 'write-only')) },
      },
      ({ t }, k) => {
        t.store(k.localId.xy, vec4u(k.localIndex.mul(k.localIndex)))
      },
    ),
    bindings: { t: image('r32uint', [W, H, 1], new Uint32Array(W * H)) },
    expect: { t: u32of(W * H, (i) => i * i) },
  },
  {
    name: 'textures: read and write of one texture',
    kernel: kernel(
      'read_write',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.textureStorage2d('r32sint', 'read-write')) },
      },
      ({ t }, k) => {
        const v = k.let('v', t.load(k.localId.xy))
        t.store(k.localId.xy, v.mul(vec4i(-2)))
      },
    ),
    bindings: {
      t: image(
        'r32sint',
        [W, H, 1],
        Int32Array.from({ length: W * H }, (_, i) => i),
      ),
    },
    expect: { t: Int32Array.from({ length: W * H }, (_, i) => -2 * i) },
  },
  {
    name: 'textures: a read-only storage texture',
    kernel: kernel(
      'storage_read',
      {
        workgroupSize: [W, H],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.textureStorage2d('r32float', 'read-only')), out: output(d.arrayOf(d.f32)) },
      },
      ({ t, out }, k) => {
        out.at(k.localIndex).set(t.load(k.localId.xy).x.add(1))
      },
    ),
    bindings: {
      t: image(
        'r32float',
        [W, H, 1],
        f32of(W * H, (i) => i),
      ),
      out: partly(W * H, f32s()),
    },
    expect: { out: f32of(W * H, (i) => i + 1) },
  },
  {
    name: 'textures: dimensions and levels',
    kernel: kernel(
      'dimensions',
      {
        workgroupSize: [1],
        workgroups: () => [1],
        guards: 'off',
        bindings: {
          a: texture(d.texture2d(d.f32)),
          b: texture(d.textureStorage2d('r32uint', 'write-only')),
          out: output(d.arrayOf(d.u32), { writes: 'partial' }),
        },
      },
      ({ a, b, out }) => {
        const size = a.dimensions() as unknown as ReturnType<typeof vec2u>
        const other = b.dimensions() as unknown as ReturnType<typeof vec2u>
        b.store(vec2u(1, 1), vec4u(9))
        ;[size.x, size.y, other.x, other.y, a.numLevels()].forEach((v, i) => void out.at(i).set(v))
      },
    ),
    bindings: {
      a: image('r32float', [W, H, 1], new Float32Array(W * H)),
      b: image('r32uint', [7, 2, 1], new Uint32Array(14)),
      out: partly(6, u32s()),
    },
    expect: { out: partly(6, u32s(W, H, 7, 2, 1)), b: u32of(14, (i) => (i === 8 ? 9 : 0)) },
  },
  {
    name: 'textures: layers',
    kernel: kernel(
      'layers',
      {
        workgroupSize: [2, 2, 3],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.texture2dArray(d.u32)), out: output(d.arrayOf(d.u32)) },
      },
      ({ t, out }, k) => {
        out.at(k.localIndex).set(t.load(k.localId.xy, { layer: k.localId.z }).x.add(t.numLayers().mul(1000)))
      },
    ),
    bindings: {
      t: image(
        'r32uint',
        [2, 2, 3],
        u32of(12, (i) => i * 5),
      ),
      out: partly(13, u32s()),
    },
    expect: {
      out: partly(
        13,
        u32of(12, (i) => i * 5 + 3000),
      ),
    },
  },
  {
    name: 'textures: three dimensions',
    kernel: kernel(
      'volume',
      {
        workgroupSize: [2, 2, 3],
        workgroups: () => [1],
        guards: 'off',
        bindings: { t: texture(d.textureStorage3d('r32uint', 'write-only')) },
      },
      ({ t }, k) => {
        t.store(vec3u(k.localId.x, k.localId.y, k.localId.z), vec4u(k.localIndex.add(u32(7))))
      },
    ),
    bindings: { t: image('r32uint', [2, 2, 3], new Uint32Array(12)) },
    expect: { t: u32of(12, (i) => i + 7) },
  },
  {
    name: 'textures: a buffer and a texture beside each other',
    kernel: kernel(
      'mixed',
      {
        workgroupSize: [W],
        workgroups: () => [1],
        guards: 'off',
        bindings: {
          x: input(d.arrayOf(d.f32)),
          t: texture(d.textureStorage2d('r32float', 'write-only')),
          y: output(d.arrayOf(d.f32)),
        },
        params: { s: d.f32 },
      },
      ({ x, t, y, s }, k) => {
        const v = k.let('v', x.at(k.localIndex).mul(s))
        t.store(vec2u(k.localIndex, 0), vec4f(v))
        y.at(k.localIndex).set(v.add(1))
      },
    ),
    params: { s: 3 },
    bindings: { x: f32of(W, (i) => i), t: image('r32float', [W, 1, 1], new Float32Array(W)), y: partly(W, f32s()) },
    expect: { t: f32of(W, (i) => 3 * i), y: f32of(W, (i) => 3 * i + 1) },
  },
]
