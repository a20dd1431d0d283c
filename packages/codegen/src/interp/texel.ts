import { roundEven } from '@weft/dsl/ir'
import type { BoundTexture } from '../executor'
import { HALVES, halfBits, roundHalf } from './half'

/** Textures in memory: levels one after the other, each tightly packed; samples of a texel side by side. */

export interface Bound {
  readonly format: Format
  readonly bytes: DataView
  readonly levels: readonly Level[]
  readonly isVolume: boolean
  readonly samples: number
}

interface Level {
  readonly offset: number
  readonly size: readonly [number, number, number]
}

type Kind = 'float' | 'unorm' | 'snorm' | 'uint' | 'sint'
interface Format {
  readonly channels: number
  /** Bytes of a channel. */
  readonly width: number
  readonly kind: Kind
  /** bgra: red and blue are swapped in memory. */
  readonly swapped: boolean
}

export function formatOf(name: string): Format | null {
  if (name === 'depth32float') return { channels: 1, width: 4, kind: 'float', swapped: false }
  const parts = /^(r|rg|rgba|bgra)(8|16|32)(float|unorm|snorm|uint|sint)(?:-srgb)?$/.exec(name)
  if (!parts || name.endsWith('srgb')) return null
  const [, order = '', bits, kind] = parts
  return { channels: order.length, width: Number(bits) / 8, kind: kind as Kind, swapped: order === 'bgra' }
}

/** Prepares a texture for access. `dimension` tells a volume from layers. */
export function bindTexture(t: BoundTexture, dimension: string): Bound | null {
  const format = formatOf(t.format)
  if (!format) return null
  const isVolume = dimension === '3d'
  const texel = format.channels * format.width
  const levels: Level[] = []
  let offset = 0
  for (let i = 0; i < Math.max(t.mipLevels, 1); i++) {
    const half = (n: number): number => Math.max(1, n >> i)
    const size = [
      half(t.size[0]),
      dimension === '1d' ? 1 : half(t.size[1]),
      isVolume ? half(t.size[2]) : t.size[2],
    ] as const
    levels.push({ offset, size })
    offset += size[0] * size[1] * size[2] * texel
  }
  const samples = dimension === 'multisampled_2d' ? Math.max(1, Math.floor(t.bytes.byteLength / offset)) : 1
  const bytes = new DataView(t.bytes.buffer, t.bytes.byteOffset, t.bytes.byteLength)
  return { format, bytes, levels, isVolume, samples }
}

/** The byte offset of a texel, or −1 where there is none. */
function texelAt(t: Bound, x: number, y: number, z: number, level: number, sample: number): number {
  const found = t.levels[level]
  if (!found) return -1
  const [width, height, depth] = found.size
  if (!(x >= 0 && x < width && y >= 0 && y < height && z >= 0 && z < depth && sample >= 0 && sample < t.samples))
    return -1
  const { channels, width: bytes } = t.format
  return found.offset + (((z * height + y) * width + x) * t.samples + sample) * channels * bytes
}

/** Zeros outside; a missing channel is 0, a missing alpha 1. */
export function load(t: Bound, out: Float64Array, x: number, y: number, z: number, last = 0): void {
  const isMultisampled = t.samples > 1
  const at = texelAt(t, x, y, z, isMultisampled ? 0 : last, isMultisampled ? last : 0)
  out.fill(0)
  if (at < 0) return
  out[3] = 1
  const { channels, width } = t.format
  for (let c = 0; c < channels; c++) out[place(t.format, c)] = decode(t, at + c * width)
}

/** Nothing outside. */
export function store(t: Bound, _out: Float64Array, x: number, y: number, z: number, ...texel: number[]): void {
  const at = texelAt(t, x, y, z, 0, 0)
  if (at < 0) return
  const { channels, width } = t.format
  for (let c = 0; c < channels; c++) encode(t, at + c * width, texel[place(t.format, c)] ?? 0)
}

const place = (format: Format, channel: number): number => (format.swapped && channel !== 3 ? 2 - channel : channel)

export function dimensions(t: Bound, out: Float64Array, level = 0): void {
  const size = t.levels[Math.min(level >>> 0, t.levels.length - 1)]?.size ?? [0, 0, 0]
  out.set(size)
}

export function layers(t: Bound, out: Float64Array): void {
  out[0] = t.levels[0]?.size[2] ?? 0
}

export function samples(t: Bound, out: Float64Array): void {
  out[0] = t.samples
}

function decode(t: Bound, at: number): number {
  const { width, kind } = t.format
  const { bytes } = t
  switch (kind) {
    case 'float':
      return width === 2 ? (HALVES[bytes.getUint16(at, true)] as number) : bytes.getFloat32(at, true)
    case 'uint':
      return unsigned(bytes, at, width)
    case 'sint':
      return signed(bytes, at, width)
    case 'unorm':
      return unsigned(bytes, at, width) / (2 ** (8 * width) - 1)
    case 'snorm':
      return Math.max(signed(bytes, at, width) / (2 ** (8 * width - 1) - 1), -1)
  }
}

const unsigned = (bytes: DataView, at: number, width: number): number =>
  width === 1 ? bytes.getUint8(at) : width === 2 ? bytes.getUint16(at, true) : bytes.getUint32(at, true)
const signed = (bytes: DataView, at: number, width: number): number =>
  width === 1 ? bytes.getInt8(at) : width === 2 ? bytes.getInt16(at, true) : bytes.getInt32(at, true)

const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(Number.isNaN(x) ? 0 : x, low), high)

function encode(t: Bound, at: number, x: number): void {
  const { width, kind } = t.format
  const { bytes } = t
  const top = 2 ** (8 * width)
  switch (kind) {
    case 'float':
      if (width === 2) bytes.setUint16(at, halfBits(roundHalf(x)), true)
      else bytes.setFloat32(at, x, true)
      return
    case 'uint':
      put(bytes, at, width, clamp(x, 0, top - 1))
      return
    case 'sint':
      put(bytes, at, width, clamp(x, -top / 2, top / 2 - 1))
      return
    case 'unorm':
      put(bytes, at, width, roundEven(clamp(x, 0, 1) * (top - 1)))
      return
    case 'snorm':
      put(bytes, at, width, roundEven(clamp(x, -1, 1) * (top / 2 - 1)))
      return
  }
}

const put = (bytes: DataView, at: number, width: number, x: number): void =>
  width === 1 ? bytes.setUint8(at, x) : width === 2 ? bytes.setUint16(at, x, true) : bytes.setUint32(at, x, true)
