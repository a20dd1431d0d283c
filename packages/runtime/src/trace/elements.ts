import type { CompiledBinding } from '@weft/codegen'
import { fault, shown } from '../errors'
import { checkKeys, type Keys } from '../keys'
import { getScalar, type Scalar, shapeOf } from '../lanes'

/** How values are to be compared. */
export interface Tolerance {
  /** How far floats may be apart: |expected − got| ≤ abs + rel · |expected|. Integers must always be equal. */
  readonly abs?: number
  readonly rel?: number
  /** Floats that are the same number must have the same bits too: −0 is not 0, and a NaN not any other. */
  readonly exact?: boolean
}

const TOLERANCE: Keys<Tolerance> = { abs: true, rel: true, exact: true }

/** Throws `bad-argument` for what would let everything pass, or nothing. */
export function checkTolerance(tolerance: Tolerance): void {
  if (typeof tolerance !== 'object' || tolerance === null) {
    throw fault('bad-argument', `the tolerance is ${shown(tolerance)}, expected { abs, rel }`)
  }
  checkKeys('the tolerance', tolerance, TOLERANCE)
  for (const name of ['abs', 'rel'] as const) {
    const value: unknown = tolerance[name] ?? 0
    if (typeof value === 'number' && value >= 0 && value < Infinity) continue
    throw fault('bad-argument', `the tolerance '${name}' is ${shown(value)}, expected a finite number of at least 0`)
  }
}

/** One scalar in a binding that is not what was expected. */
export interface Mismatch {
  /** Index of the element; of a binding that is no array 0. */
  readonly index: number
  /** Within the element: a lane of a vector, or column · rows + row of a matrix; null of a scalar. */
  readonly lane: number | null
  readonly type: Scalar
  readonly expected: number
  readonly got: number
}

interface Layout {
  readonly scalar: Scalar
  readonly stride: number
  readonly offsets: readonly number[]
}

/** What a binding is made of; what is no array of values – structs – is taken as 32-bit words. */
function layoutOf({ element, type }: CompiledBinding, size: number): Layout {
  const plain = (name: string): string => /^atomic<(.+)>$/.exec(name)?.[1] ?? name
  const shape = shapeOf(plain(element?.type ?? type))
  if (!shape) return { scalar: 'u32', stride: 4, offsets: [0] }
  return { scalar: shape.scalar, stride: element?.stride ?? Math.max(size, shape.size), offsets: shape.offsets }
}

const isFloat = (scalar: Scalar): boolean => scalar === 'f32' || scalar === 'f16'

/** Whether `got` will do for `expected`. NaN is near NaN only, and an infinity near itself only. */
export function near(expected: number, got: number, { abs = 0, rel = 0 }: Tolerance): boolean {
  if (Number.isNaN(expected) || Number.isNaN(got)) return Number.isNaN(expected) && Number.isNaN(got)
  if (expected === got) return true
  if (!Number.isFinite(expected) || !Number.isFinite(got)) return false
  return Math.abs(expected - got) <= abs + rel * Math.abs(expected)
}

/** Compares two contents of a binding, value by value: the first that differs, how many do, and of how many. */
export function compare(
  binding: CompiledBinding,
  expected: Uint8Array,
  got: Uint8Array,
  tolerance: Tolerance,
): { readonly first: Mismatch | null; readonly differing: number; readonly count: number } {
  const size = Math.min(expected.byteLength, got.byteLength)
  const { scalar, stride, offsets } = layoutOf(binding, size)
  const [a, b] = [expected, got].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)) as [
    DataView,
    DataView,
  ]
  const width = scalar === 'f16' ? 2 : 4
  const word = (view: DataView, at: number) => (width === 2 ? view.getUint16(at) : view.getUint32(at))
  let first: Mismatch | null = null
  let [differing, count] = [0, 0]
  for (let index = 0; index * stride < size; index++) {
    offsets.forEach((offset, lane) => {
      const at = index * stride + offset
      if (at + width > size) return
      count++
      if (word(a, at) === word(b, at)) return
      const [x, y] = [getScalar(a, at, scalar), getScalar(b, at, scalar)]
      const sameNumber = Number.isNaN(x) ? Number.isNaN(y) : x === y
      if (isFloat(scalar) && !(tolerance.exact && sameNumber) && near(x, y, tolerance)) return
      differing++
      first ??= { index, lane: offsets.length > 1 ? lane : null, type: scalar, expected: x, got: y }
    })
  }
  return { first, differing, count }
}
