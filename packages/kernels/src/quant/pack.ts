import { argsOf, checkFields, checkKeys, integerFrom, keysOf, maybe, oneOf, size } from '../args'
import { badArgument, shown } from '../errors'
import { expectLength } from '../expect-length'
import { roundEven } from '../parts/half'

/**
 * Weights W: [n, k] as the kernels read them, on the host: packed, unpacked, quantized from floats, and dequantized in float64.
 * The layouts are those of format.ts.
 */

export const WORD_FORMATS = ['int8', 'uint8', 'int4', 'int4_zeros'] as const
export type WordFormat = (typeof WORD_FORMATS)[number]

/** The zero points of the formats that have some. */
export interface ZeroPoints {
  /** [n] of i32 */
  readonly uint8: Int32Array<ArrayBuffer>
  /** n rows of whole words, eight to a word */
  readonly int4_zeros: Uint32Array<ArrayBuffer>
}

/** What weights of all formats have. */
export interface PackedParts<F extends WordFormat> {
  readonly format: F
  readonly n: number
  readonly k: number
  /** Elements that share a scale: k, except with int4. */
  readonly group: number
  /** n rows of whole words. */
  readonly w: Uint32Array<ArrayBuffer>
  /** [n], or [n, groups] with int4 */
  readonly scales: Float32Array<ArrayBuffer>
}

/** Weights of a format on the host; `uploadWeights` takes them to a device. */
export type PackedWeights<F extends WordFormat = WordFormat> = F extends keyof ZeroPoints
  ? PackedParts<F> & { readonly zeros: ZeroPoints[F] }
  : PackedParts<F> & { readonly zeros?: never }

/** Refuses what fits no place of so many bits: it would be wrapped to another number in silence. */
function expectIntegers(what: string, values: ArrayLike<number>, low: number, high: number): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (Number.isInteger(value) && value >= low && value <= high) continue
    throw badArgument(`${what}: values[${i}] must be an integer from ${low} to ${high}, got ${shown(value)}`)
  }
}

/** Bytes from −128 to 255, four to a word in order; a row begins at a word, what fills it up is `pad`. */
export function packBytes(values: ArrayLike<number>, n: number, k: number, pad = 0): Uint32Array<ArrayBuffer> {
  expectLength('values', values, n * k)
  expectIntegers('packBytes', values, -128, 255)
  integerFrom(-128, 255).check('packBytes', 'pad', pad)
  const row = Math.ceil(k / 4)
  return Uint32Array.from({ length: n * row }, (_, at) => {
    let word = 0
    for (let e = 3; e >= 0; e--) {
      const j = (at % row) * 4 + e
      word = (word << 8) | ((j < k ? values[Math.floor(at / row) * k + j]! : pad) & 255)
    }
    return word >>> 0
  })
}

/** The bytes of a word matrix, as unsigned integers. */
export function unpackBytes(words: ArrayLike<number>, n: number, k: number): Uint8Array<ArrayBuffer> {
  const row = Math.ceil(k / 4)
  expectLength('words', words, n * row)
  return Uint8Array.from({ length: n * k }, (_, i) => {
    const j = i % k
    return (words[Math.floor(i / k) * row + Math.floor(j / 4)]! >>> (8 * (j % 4))) & 255
  })
}

/** Where place j of a row is in its word of eight: places 0 … 3 in the low halves of the bytes, 4 … 7 in the high ones. */
const nibbleShift = (j: number): number => 8 * (j % 4) + (j % 8 < 4 ? 0 : 4)

/** Integers from 0 to 15, eight to a word; a row begins at a word. */
export function packNibbles(values: ArrayLike<number>, n: number, k: number): Uint32Array<ArrayBuffer> {
  expectLength('values', values, n * k)
  expectIntegers('packNibbles', values, 0, 15)
  const row = Math.ceil(k / 8)
  const words = new Uint32Array(n * row)
  for (let i = 0; i < n * k; i++) {
    const j = i % k
    words[Math.floor(i / k) * row + Math.floor(j / 8)]! |= (values[i]! & 15) << nibbleShift(j)
  }
  return words
}

export function unpackNibbles(words: ArrayLike<number>, n: number, k: number): Uint8Array<ArrayBuffer> {
  const row = Math.ceil(k / 8)
  expectLength('words', words, n * row)
  return Uint8Array.from({ length: n * k }, (_, i) => {
    const j = i % k
    return (words[Math.floor(i / k) * row + Math.floor(j / 8)]! >>> nibbleShift(j)) & 15
  })
}

/** Zero points from 0 to 15, eight to a word in order; a row begins at a word. */
export function packZeros(values: ArrayLike<number>, n: number, groups: number): Uint32Array<ArrayBuffer> {
  expectLength('values', values, n * groups)
  expectIntegers('packZeros', values, 0, 15)
  const row = Math.ceil(groups / 8)
  const words = new Uint32Array(n * row)
  for (let i = 0; i < n * groups; i++) {
    const g = i % groups
    words[Math.floor(i / groups) * row + Math.floor(g / 8)]! |= (values[i]! & 15) << (4 * (g % 8))
  }
  return words
}

export function unpackZeros(words: ArrayLike<number>, n: number, groups: number): Uint8Array<ArrayBuffer> {
  const row = Math.ceil(groups / 8)
  expectLength('words', words, n * row)
  return Uint8Array.from({ length: n * groups }, (_, i) => {
    const g = i % groups
    return (words[Math.floor(i / groups) * row + Math.floor(g / 8)]! >>> (4 * (g % 8))) & 15
  })
}

/** Scale and zero point for values of a range, to integers from `low` to `high`. */
export interface QuantParams {
  readonly scale: number
  readonly zero: number
}

/** Symmetric: the greatest size becomes `high`, 0 becomes `middle`. No values, or zeros only: a scale of 1. */
export function symmetricParams(values: ArrayLike<number>, high: number, middle = 0): QuantParams {
  let most = 0
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!))
  return { scale: most === 0 ? 1 : Math.fround(most / high), zero: middle }
}

/** Affine: least and greatest, with 0 among them, become `low` and `high`, and 0 an integer. */
export function affineParams(values: ArrayLike<number>, low: number, high: number): QuantParams {
  let [least, most] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    least = Math.min(least, values[i]!)
    most = Math.max(most, values[i]!)
  }
  const scale = most === least ? 1 : Math.fround((most - least) / (high - low))
  return { scale, zero: Math.min(Math.max(low - roundEven(least / scale), low), high) }
}

const quantized = (x: number, { scale, zero }: QuantParams, low: number, high: number): number =>
  Math.min(Math.max(roundEven(x / scale) + zero, low), high)

interface Range {
  readonly low: number
  readonly high: number
  readonly params: (values: ArrayLike<number>) => QuantParams
}

const RANGES: Readonly<Record<WordFormat, Range>> = {
  int8: { low: -127, high: 127, params: (values) => symmetricParams(values, 127) },
  uint8: { low: 0, high: 255, params: (values) => affineParams(values, 0, 255) },
  int4: { low: 0, high: 15, params: (values) => symmetricParams(values, 7, 8) },
  int4_zeros: { low: 0, high: 15, params: (values) => affineParams(values, 0, 15) },
}

export interface QuantizeOptions {
  readonly n: number
  readonly k: number
  /** With int4: a multiple of 8; 32 when left out. The others have one scale for a row. */
  readonly group?: number
}

export const isInt4 = (format: WordFormat): boolean => format === 'int4' || format === 'int4_zeros'

/**
 * Weights from floats [n, k]: each group of a row (the whole row with int8 and uint8) gets a scale, and a zero point where the format has
 * one; a value becomes the nearest integer.
 */
export function quantizeWeights<F extends WordFormat>(
  format: F,
  x: ArrayLike<number>,
  options: QuantizeOptions,
): PackedWeights<F>
export function quantizeWeights(format: WordFormat, x: ArrayLike<number>, options: QuantizeOptions): PackedWeights {
  checkKeys('options of quantizeWeights', options, ['n', 'k', 'group'])
  const { n, k, group: asked = 32 } = options
  checkWeights(format, x, options)
  const group = isInt4(format) ? asked : Math.max(k, 1)
  const groups = Math.ceil(k / group)
  const { low, high, params } = RANGES[format]
  const [q, scales, zeros] = [new Int32Array(n * k), new Float32Array(n * groups), new Int32Array(n * groups)]
  for (let g = 0; g < n * groups; g++) {
    const from = Math.floor(g / groups) * k + (g % groups) * group
    const count = Math.min(group, k - (g % groups) * group)
    const values = Array.from({ length: count }, (_, i) => x[from + i] as number)
    const own = params(values)
    scales[g] = own.scale
    zeros[g] = own.zero
    values.forEach((value, i) => {
      q[from + i] = quantized(value, own, low, high)
    })
  }
  const common = { n, k, group, scales, w: isInt4(format) ? packNibbles(q, n, k) : packBytes(q, n, k) }
  if (format === 'uint8') return { ...common, format, zeros }
  if (format === 'int4_zeros') return { ...common, format, zeros: packZeros(zeros, n, groups) }
  return { ...common, format }
}

const FORMAT = oneOf(...WORD_FORMATS)
const QUANTIZE_ARGS = argsOf<QuantizeOptions & { readonly format: WordFormat }>({
  format: FORMAT,
  n: size,
  k: size,
  group: maybe(size),
})

function checkWeights(format: WordFormat, x: ArrayLike<number>, options: QuantizeOptions): void {
  const what = 'quantizeWeights'
  checkFields(what, { format, ...options }, QUANTIZE_ARGS)
  const { n, k, group = 8 } = options
  if (!isInt4(format) && options.group !== undefined && options.group !== Math.max(k, 1))
    throw badArgument(
      `${what}: group is of int4 and int4_zeros, and ${format} has one scale for a row, got ${options.group}`,
      `leave it out, or quantize to int4 in groups of ${options.group}`,
    )
  if (x?.length !== n * k) throw badArgument(`${what}: x must have ${n * k} elements, and has ${x?.length}`)
  if (isInt4(format) && (group < 8 || group % 8 !== 0))
    throw badArgument(`${what}: group must be a multiple of 8 with ${format}, got ${group}`)
  for (let i = 0; i < x.length; i++) {
    if (!Number.isFinite(x[i]))
      throw badArgument(`${what}: x[${i}] is ${x[i]}, and all that share a scale with it would become NaN`)
  }
}

export const WEIGHTS_KEYS = keysOf<PackedWeights>({
  format: true,
  n: true,
  k: true,
  group: true,
  w: true,
  scales: true,
  zeros: true,
})

/** The float64 values [n, k] of weights. */
export function dequantizeWeights(weights: PackedWeights): Float64Array {
  checkKeys('dequantizeWeights', weights, WEIGHTS_KEYS)
  const { format, n, k, group, w, scales, zeros } = weights
  FORMAT.check('dequantizeWeights', 'format', format)
  const groups = Math.ceil(k / group)
  expectLength('scales', scales, n * groups)
  const q = isInt4(format) ? unpackNibbles(w, n, k) : unpackBytes(w, n, k)
  const points =
    format === 'int4_zeros' ? unpackZeros(zeros ?? [], n, groups) : format === 'uint8' ? (zeros as Int32Array) : null
  return Float64Array.from({ length: n * k }, (_, i) => {
    const at = Math.floor(i / k) * groups + Math.floor((i % k) / group)
    const value = format === 'int8' ? ((q[i] as number) << 24) >> 24 : (q[i] as number)
    return (value - (points ? (points[at] as number) : format === 'int4' ? 8 : 0)) * (scales[at] as number)
  })
}
