import { badArgument, shown } from './errors'
import { fromHalf, toHalf } from './parts/half'

/**
 * f16 on the host, for buffers of `type: 'f16'`, where the host has no `Float16Array`: numbers as the bits of IEEE 754 binary16, which
 * are what a `Uint16Array` holds.
 *
 *     const x = runtime.buffer(toFloat16(values))
 *     …
 *     const results = fromFloat16(await y.read(Uint16Array))
 */

/**
 * The bits of the f16 numbers nearest to `values`, of two the one with an even fraction: subnormal below 2⁻¹⁴, ±0 below 2⁻²⁵ and at it, ±∞
 * from 65,520 on. A NaN becomes 0x7e00; the sign of 0 stays.
 */
export function toFloat16(values: ArrayLike<number>): Uint16Array<ArrayBuffer> {
  const bits = new Uint16Array(lengthOf('toFloat16', 'values', values))
  for (let i = 0; i < bits.length; i++) {
    const value = values[i]
    if (typeof value !== 'number') throw badArgument(`toFloat16: values[${i}] must be a number, got ${shown(value)}`)
    bits[i] = toHalf(value)
  }
  return bits
}

/** The numbers that bits of f16 are: f32 has each of them. */
export function fromFloat16(bits: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const values = new Float32Array(lengthOf('fromFloat16', 'bits', bits))
  if (ArrayBuffer.isView(bits) && !(bits instanceof Uint16Array))
    throw badArgument(
      `fromFloat16: bits must be a Uint16Array, or an array of integers, got ${shown(bits)}`,
      'buffer.read(Uint16Array) gives the bits of f16',
    )
  for (let i = 0; i < values.length; i++) {
    const word = bits[i] as number
    if (!Number.isInteger(word) || word < 0 || word > 0xffff)
      throw badArgument(`fromFloat16: bits[${i}] must be an integer from 0 to 65535, got ${shown(word)}`)
    values[i] = fromHalf(word)
  }
  return values
}

function lengthOf(what: string, name: string, list: ArrayLike<number>): number {
  if (typeof list === 'object' && Number.isSafeInteger(list?.length)) return list.length
  throw badArgument(`${what}: ${name} must be an array of numbers, got ${shown(list)}`)
}
