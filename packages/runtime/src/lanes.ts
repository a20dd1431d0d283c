import { fromHalf, toHalf } from './half'
import { memo } from './memo'

/** Value types (`f32`, `vec3f`, `mat2x3h`, `vec2<bool>`) in memory, by the WGSL specification, "Memory Layout". */

export type Scalar = 'f32' | 'f16' | 'i32' | 'u32' | 'bool'

export interface ValueShape {
  readonly scalar: Scalar
  readonly align: number
  readonly size: number
  /** Byte offsets of the lanes, column by column. */
  readonly offsets: readonly number[]
}

const BY_SUFFIX: Readonly<Record<string, Scalar>> = {
  f: 'f32',
  h: 'f16',
  i: 'i32',
  u: 'u32',
  '<bool>': 'bool',
  b: 'bool',
}
const SCALARS: readonly string[] = ['f32', 'f16', 'i32', 'u32', 'bool']
const known = new Map<string, ValueShape | null>()

function parse(type: string): ValueShape | null {
  const composed = /^(?:vec|mat([234])x)([234])([fhiub]|<bool>)$/.exec(type)
  const scalar = SCALARS.includes(type) ? (type as Scalar) : BY_SUFFIX[composed?.[3] ?? '']
  if (!scalar) return null
  const cols = Number(composed?.[1] ?? 1)
  const rows = Number(composed?.[2] ?? 1)
  const bytes = scalar === 'f16' ? 2 : 4
  const align = bytes * (rows === 3 ? 4 : rows)
  const offsets = Array.from({ length: cols * rows }, (_, i) => Math.floor(i / rows) * align + (i % rows) * bytes)
  return { scalar, align, size: cols === 1 ? bytes * rows : align * cols, offsets }
}

/** The shape of a value type, or null where `type` is not one. */
export function shapeOf(type: string): ValueShape | null {
  return memo(known, type, () => parse(type))
}

/** A bool is a u32 in memory, 1 for true. */
export function setScalar(view: DataView, at: number, scalar: Scalar, x: number): void {
  if (scalar === 'f32') view.setFloat32(at, x, true)
  else if (scalar === 'f16') view.setUint16(at, toHalf(x), true)
  else if (scalar === 'i32') view.setInt32(at, x, true)
  else view.setUint32(at, x, true)
}

export function getScalar(view: DataView, at: number, scalar: Scalar): number {
  if (scalar === 'f32') return view.getFloat32(at, true)
  if (scalar === 'f16') return fromHalf(view.getUint16(at, true))
  return scalar === 'i32' ? view.getInt32(at, true) : view.getUint32(at, true)
}

/** The lanes of a value in order: a number, a bool, or (nested) lists and vectors of them. */
export function flatten(value: unknown, into: unknown[] = []): unknown[] {
  if (typeof value !== 'object' || value === null) into.push(value)
  else if ('columns' in value)
    flatten(value.columns, into) // a TypeGPU matrix, whose own elements include padding
  else if ('length' in value)
    for (let i = 0; i < Number(value.length); i++) flatten((value as ArrayLike<unknown>)[i], into)
  else into.push(value)
  return into
}
