import { checkKeys, keysOf, number, positive } from '../args'
import { badArgument, shown } from '../errors'

/** Positions that share one row of the coarse part of a table. */
export const FINE = 256

/**
 * Entries, each a cosine and a sine, of a table for so many positions: 256 fine rows of `pairs`, then the coarse ones. One at
 * least, since there are no bindings of nothing.
 */
export const ropeTableSize = (positions: number, pairs: number): number =>
  Math.max(1, (FINE + Math.ceil(positions / FINE)) * pairs)

export interface RopeTableArgs {
  /** The table serves positions 0 … positions − 1. */
  readonly positions: number
  /** Leading dimensions of a head that are rotated: an even number. */
  readonly rotary: number
  /** 10,000 when left out. */
  readonly base?: number
  /** Radians for each position, for every pair, in place of base^(−2i / rotary): for scaled variants. */
  readonly frequencies?: ArrayLike<number>
}

const KEYS = keysOf<RopeTableArgs>({ positions: true, rotary: true, base: true, frequencies: true })

/** θᵢ = base^(−2i / rotary) for the pairs i < rotary / 2. */
export const ropeFrequencies = (rotary: number, base = 10_000): Float64Array =>
  Float64Array.from({ length: rotary / 2 }, (_, i) => base ** ((-2 * i) / rotary))

/**
 * The rotations that the kernel `rope` combines, made in float64: (cos, sin) of b · θ for the fine rows b < 256, then of 256 a · θ
 * for the coarse rows a. The rotation of position 256 a + b is the product of two of them, so that 131,072 positions of
 * 64 pairs take 393 kB, not 67 MB, and no angle is ever an f32: at position 131,071 the angle itself has an error of 4e-3 in f32.
 *
 * @returns `[256 + ⌈positions / 256⌉, rotary / 2, 2]`
 * @throws RangeError when `rotary` is odd, or the number of frequencies is not half of it
 */
export function ropeTable(args: RopeTableArgs): Float32Array<ArrayBuffer> {
  checkKeys('ropeTable', args, KEYS)
  const { positions, rotary, base, frequencies } = args
  if (!Number.isSafeInteger(rotary) || rotary < 0 || rotary % 2 !== 0) {
    throw badArgument(`ropeTable: rotary must be an even integer from 0 on, got ${shown(rotary)}`)
  }
  if (!Number.isSafeInteger(positions) || positions < 0) {
    throw badArgument(`ropeTable: positions must be an integer from 0 on, got ${shown(positions)}`)
  }
  if (base !== undefined) positive.check('ropeTable', 'base', base)
  const angles = frequencies ?? ropeFrequencies(rotary, base)
  const pairs = rotary / 2
  if (angles.length !== pairs) {
    throw badArgument(`ropeTable: frequencies must be ${pairs}, half of rotary, got ${angles.length}`)
  }
  for (let i = 0; i < pairs; i++) number.check('ropeTable', `frequencies[${i}]`, angles[i])
  const table = new Float32Array(2 * ropeTableSize(positions, pairs))
  for (let row = 0; row < FINE + Math.ceil(positions / FINE); row++) {
    const position = row < FINE ? row : (row - FINE) * FINE
    for (let i = 0; i < pairs; i++) {
      table[2 * (row * pairs + i)] = Math.cos(position * angles[i]!)
      table[2 * (row * pairs + i) + 1] = Math.sin(position * angles[i]!)
    }
  }
  return table
}
