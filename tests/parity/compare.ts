/** Compares the memory of a binding, lane by lane, with a reference. */
import {
  f16FromBits,
  factsOf,
  laneCount,
  laneOffset,
  membersOf,
  type ScalarName,
  scalarOf,
  strideOf,
  type Type,
} from '@weft/dsl/ir'
import type { Tolerance } from './case.js'

interface Leaf {
  readonly path: string
  readonly offset: number
  readonly scalar: ScalarName
}

/** Where the scalars of a value lie in `bytes` bytes; padding, which a store may or may not touch, is left out. */
export function leavesOf(type: Type, bytes: number, path = '', offset = 0): readonly Leaf[] {
  if (typeof type === 'string') {
    const scalar = scalarOf(type)
    const { rows, cols } = factsOf(type)
    return Array.from({ length: laneCount(type) }, (_, i) => {
      const name = cols > 1 ? `[${Math.floor(i / rows)}][${i % rows}]` : rows > 1 ? `.${'xyzw'[i]}` : ''
      return { path: path + name, offset: offset + laneOffset(type, i), scalar }
    })
  }
  switch (type.kind) {
    case 'atomic':
      return [{ path, offset, scalar: type.of }]
    case 'struct':
      return membersOf(type).flatMap((m) => leavesOf(m.type, bytes, `${path}.${m.name}`, offset + m.offset))
    case 'array': {
      const stride = strideOf(type.of)
      const count = typeof type.count === 'number' ? type.count : Math.floor((bytes - offset) / stride)
      return Array.from({ length: count }, (_, i) =>
        leavesOf(type.of, bytes, `${path}[${i}]`, offset + i * stride),
      ).flat()
    }
    default:
      return Array.from({ length: Math.floor(bytes / 4) }, (_, i) => ({
        path: `${path}<word ${i}>`,
        offset: 4 * i,
        scalar: 'u32' as const,
      }))
  }
}

const leavesCache = new Map<string, readonly Leaf[]>()

/** The leaves of a binding of so many bytes; bytes after the last whole element are words of their own. */
function leavesFor(type: Type, bytes: number): readonly Leaf[] {
  const key = `${JSON.stringify(type)} ${bytes}`
  const known = leavesCache.get(key)
  if (known) return known
  const leaves = leavesOf(type, bytes)
  if (leavesCache.size > 200) leavesCache.clear()
  leavesCache.set(key, leaves)
  return leaves
}

const scratch = new DataView(new ArrayBuffer(4))

/** Neighbours in the order of floats are 1 apart. */
function ordinal(x: number, scalar: ScalarName): number {
  if (scalar === 'f16') return x < 0 ? -ordinal(-x, scalar) : Math.abs(x) < 2 ** -14 ? x / 2 ** -24 : halfOrdinal(x)
  scratch.setFloat32(0, Math.abs(x))
  return x < 0 ? -scratch.getInt32(0) : scratch.getInt32(0)
}

function halfOrdinal(x: number): number {
  if (x === Infinity) return 0x7c00
  const exponent = Math.floor(Math.log2(x))
  return ((exponent + 15) << 10) | ((x / 2 ** exponent - 1) * 1024)
}

/** How many floats lie between two of them. */
export const ulpsApart = (a: number, b: number, scalar: ScalarName): number =>
  Math.abs(ordinal(a, scalar) - ordinal(b, scalar))

function agrees(got: number, want: number, scalar: ScalarName, tolerance: Tolerance | undefined): boolean {
  if (Object.is(got, want) || (Number.isNaN(got) && Number.isNaN(want))) return true
  if (tolerance === undefined || (scalar !== 'f32' && scalar !== 'f16')) return false
  if (!Number.isFinite(got) || !Number.isFinite(want)) return false
  if (tolerance.kind === 'ulp') return ulpsApart(got, want, scalar) <= tolerance.ulp
  return Math.abs(got - want) <= tolerance.abs + tolerance.rel * Math.abs(want)
}

function get(view: DataView, offset: number, scalar: ScalarName): number {
  if (scalar === 'f16') return f16FromBits(view.getUint16(offset, true))
  if (scalar === 'f32') return view.getFloat32(offset, true)
  return scalar === 'i32' ? view.getInt32(offset, true) : view.getUint32(offset, true)
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const shown = (x: number, scalar: ScalarName, raw: number): string =>
  `${Object.is(x, -0) ? '-0' : x}${scalar === 'bool' ? '' : ` (0x${raw.toString(16)})`}`

/** What differs, one line for each of the first lanes; empty when nothing does. */
export function differences(
  name: string,
  type: Type,
  got: Uint8Array,
  want: Uint8Array,
  tolerance?: Tolerance,
): readonly string[] {
  if (got.length !== want.length) return [`${name} has ${got.length} bytes, expected ${want.length}`]
  if (sameBytes(got, want)) return []
  const [a, b] = [got, want].map((x) => new DataView(x.buffer, x.byteOffset, x.byteLength)) as [DataView, DataView]
  const found: string[] = []
  for (const { path, offset, scalar } of leavesFor(type, got.length)) {
    const [x, y] = [get(a, offset, scalar), get(b, offset, scalar)]
    if (agrees(x, y, scalar, tolerance)) continue
    const raw = (v: DataView): number => (scalar === 'f16' ? v.getUint16(offset, true) : v.getUint32(offset, true))
    found.push(`${name}${path}: got ${shown(x, scalar, raw(a))}, expected ${shown(y, scalar, raw(b))}`)
  }
  return found.length > 12 ? [...found.slice(0, 12), `… and ${found.length - 12} more`] : found
}
