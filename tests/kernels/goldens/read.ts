/** Reads the set that scripts/goldens.py writes: what PyTorch gives for seeded inputs, in float64. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { f16FromBits } from '@weft/dsl/ir'
import { root } from '../../../scripts/packages.mjs'

export type Storage = 'f32' | 'f16'

interface Stored {
  readonly dtype: 'f64' | Storage | 'i32' | 'u32' | 'i8' | 'u8'
  readonly shape: readonly number[]
  /** Where it begins in goldens.bin, in bytes. */
  readonly at: number
}

interface Entry {
  readonly name: string
  readonly op: string
  readonly type: Storage
  readonly attrs: Readonly<Record<string, unknown>>
  readonly in: Readonly<Record<string, Stored>>
  readonly out: Readonly<Record<string, Stored>>
}

/** One call of one operation: exact inputs, and what comes out in float64. */
export interface Golden {
  readonly name: string
  readonly op: string
  /** How the inputs are stored. */
  readonly type: Storage
  /** Sizes and options, as the function that made the case names them. */
  attrs<T>(): T
  has(input: string): boolean
  input(name: string): number[]
  readonly results: readonly string[]
  result(name: string): number[]
}

export const folder = join(root, 'tests/kernels/goldens')

const paths = { index: join(folder, 'goldens.json'), bytes: join(folder, 'goldens.bin') }

/** Why there are none, if so. */
export const noGoldens = (): string | undefined =>
  Object.values(paths).every((path) => existsSync(path))
    ? undefined
    : 'tests/kernels/goldens has no goldens.json and goldens.bin: python3 scripts/goldens.py --out tests/kernels/goldens'

const READ: Readonly<Record<Stored['dtype'], readonly [bytes: number, read: (view: DataView, at: number) => number]>> =
  {
    f64: [8, (view, at) => view.getFloat64(at, true)],
    f32: [4, (view, at) => view.getFloat32(at, true)],
    f16: [2, (view, at) => f16FromBits(view.getUint16(at, true))],
    i32: [4, (view, at) => view.getInt32(at, true)],
    u32: [4, (view, at) => view.getUint32(at, true)],
    i8: [1, (view, at) => view.getInt8(at)],
    u8: [1, (view, at) => view.getUint8(at)],
  }

function numbers(view: DataView, { dtype, shape, at }: Stored): number[] {
  const [bytes, read] = READ[dtype]
  return Array.from({ length: shape.reduce((n, extent) => n * extent, 1) }, (_, i) => read(view, at + i * bytes))
}

export function readGoldens(): readonly Golden[] {
  if (noGoldens() !== undefined) return []
  const file = readFileSync(paths.bytes)
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const { cases, bytes } = JSON.parse(readFileSync(paths.index, 'utf8')) as { cases: Entry[]; bytes: number }
  if (bytes !== file.byteLength) throw new Error(`goldens.bin has ${file.byteLength} bytes, its index says ${bytes}`)
  const of = (entry: Entry, list: Entry['in'], name: string): number[] => {
    const stored = list[name]
    if (!stored) throw new Error(`${entry.name} has no ${name}, but ${Object.keys(list).join(', ')}`)
    return numbers(view, stored)
  }
  return cases.map((entry) => ({
    name: entry.name,
    op: entry.op,
    type: entry.type,
    attrs: <T>() => entry.attrs as T,
    has: (name) => name in entry.in,
    input: (name) => of(entry, entry.in, name),
    results: Object.keys(entry.out),
    result: (name) => of(entry, entry.out, name),
  }))
}
