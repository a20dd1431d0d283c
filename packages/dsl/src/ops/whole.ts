import type { LaneFn, Round, WholeEval } from './row'

/** Evaluation of ops that mix lanes, rounding after every step as a GPU does, and of bit operations. */

type Lanes = readonly number[]
const lane = (a: Lanes | undefined, i: number): number => a?.[i] ?? 0

const sumOfProducts = (round: Round, a: Lanes, b: Lanes): number => a.reduce((sum, x, i) => round(sum + round(x * lane(b, i))), 0)

export const fma: WholeEval = (round, [a = [], b, c]) => a.map((x, i) => round(round(x * lane(b, i)) + lane(c, i)))

/** Integer lanes go through BigInt-free exact arithmetic: `round` wraps products via `Math.imul` when it is integral. */
export const dot: WholeEval = (round, [a = [], b = []]) => [
  round(0.5) === 0.5 ? sumOfProducts(round, a, b) : a.reduce((sum, x, i) => round(sum + Math.imul(x, lane(b, i))), 0),
]

export const cross: WholeEval = (round, [a, b]) =>
  [0, 1, 2].map((i) => {
    const j = (i + 1) % 3
    const k = (i + 2) % 3
    return round(round(lane(a, j) * lane(b, k)) - round(lane(a, k) * lane(b, j)))
  })

const norm2 = (round: Round, a: Lanes): number => (a.length === 1 ? Math.abs(lane(a, 0)) : round(Math.sqrt(sumOfProducts(round, a, a))))
const minus = (round: Round, a: Lanes, b: Lanes): number[] => a.map((x, i) => round(x - lane(b, i)))

export const length: WholeEval = (round, [a = []]) => [norm2(round, a)]
export const distance: WholeEval = (round, [a = [], b = []]) => [norm2(round, minus(round, a, b))]
export const normalize: WholeEval = (round, [a = []]) => {
  const size = norm2(round, a)
  return a.map((x) => round(x / size))
}
export const faceForward: WholeEval = (round, [x = [], y = [], z = []]) => (sumOfProducts(round, y, z) < 0 ? [...x] : x.map((v) => -v))
export const reflect: WholeEval = (round, [x = [], n = []]) => {
  const scale = round(2 * sumOfProducts(round, n, x))
  return x.map((v, i) => round(v - round(scale * lane(n, i))))
}
export const refract: WholeEval = (round, [x = [], n = [], eta]) => {
  const ratio = lane(eta, 0)
  const cosine = sumOfProducts(round, n, x)
  const k = round(1 - round(round(ratio * ratio) * round(1 - round(cosine * cosine))))
  if (k < 0) return x.map(() => 0)
  const along = round(round(ratio * cosine) + round(Math.sqrt(k)))
  return x.map((v, i) => round(round(ratio * v) - round(along * lane(n, i))))
}

/** `rows[0]` is the number of rows of the argument; lanes are column-major. */
export const transpose: WholeEval = (_, [m = []], rows) => {
  const r = rows[0] ?? 1
  const c = m.length / r
  return m.map((_x, i) => lane(m, (i % c) * r + Math.floor(i / c)))
}

export const determinant: WholeEval = (round, [m = []]) => [minorDeterminant(round, m, Math.sqrt(m.length))]
function minorDeterminant(round: Round, m: Lanes, n: number): number {
  if (n === 1) return lane(m, 0)
  let sum = 0
  for (let col = 0; col < n; col++) {
    const minor = m.filter((_x, i) => i % n !== 0 && Math.floor(i / n) !== col)
    const term = round(lane(m, col * n) * minorDeterminant(round, minor, n - 1))
    sum = round(col % 2 ? sum - term : sum + term)
  }
  return sum
}

export const ldexp: LaneFn = (x = 0, e = 0) => (e > 1000 ? x * 2 ** 1000 * 2 ** (e - 1000) : e < -1000 ? x * 2 ** -1000 * 2 ** (e + 1000) : x * 2 ** e)

/** `[significand, exponent]`; zero, ∞ and NaN have exponent 0. */
export function frexp(x: number): [number, number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0]
  const guess = Math.floor(Math.log2(Math.abs(x))) + 1
  const exponent = Math.abs(x) >= 2 ** guess ? guess + 1 : Math.abs(x) < 2 ** (guess - 1) ? guess - 1 : guess
  return [x / 2 ** exponent, exponent]
}

export const smoothstep: WholeEval = (round, [low, high, a = []]) =>
  a.map((x, i) => {
    const span = round(lane(high, i) - lane(low, i))
    const t = Math.min(Math.max(round(round(x - lane(low, i)) / span), 0), 1)
    return round(round(t * t) * round(3 - round(2 * t)))
  })

/** The weight is a vector, or one number for all lanes. */
export const mix: WholeEval = (round, [a = [], b, t]) =>
  a.map((x, i) => {
    const weight = lane(t, t?.length === 1 ? 0 : i)
    return round(round(x * round(1 - weight)) + round(lane(b, i) * weight))
  })

export const countOnes: LaneFn = (a = 0) => {
  let count = 0
  for (let bits = a >>> 0; bits !== 0; bits &= bits - 1) count++
  return count
}

export const reverseBits: LaneFn = (a = 0) => {
  let out = 0
  for (let i = 0; i < 32; i++) if (a & (1 << i)) out |= 1 << (31 - i)
  return out
}

const mask = (count: number): number => (count >= 32 ? -1 : (1 << count) - 1)
const clampRange = (offset: number, count: number): [number, number] => {
  const o = Math.min(offset, 32)
  return [o, Math.min(count, 32 - o)]
}
export const extractBitsU32: LaneFn = (e = 0, offset = 0, count = 0) => {
  const [o, c] = clampRange(offset, count)
  return c === 0 ? 0 : (e >>> o) & mask(c)
}
export const extractBitsI32: LaneFn = (e = 0, offset = 0, count = 0) => {
  const [o, c] = clampRange(offset, count)
  return c === 0 ? 0 : (e << (32 - o - c)) >> (32 - c)
}
export const insertBits: LaneFn = (e = 0, bits = 0, offset = 0, count = 0) => {
  const [o, c] = clampRange(offset, count)
  if (c === 0) return e
  const m = mask(c) << o
  return (e & ~m) | ((bits << o) & m)
}

export const bytes = (word: number): number[] => [0, 8, 16, 24].map((shift) => (word >>> shift) & 255)
export const packBytes = (a: Lanes): number => a.reduce((word, x, i) => word | ((x & 255) << (8 * i)), 0)
export const packHalves = (a: Lanes): number => a.reduce((word, x, i) => word | ((x & 0xffff) << (16 * i)), 0)
/** `floor(0.5 + limit * x)` of the clamped value, as the specification defines the packing functions. */
export const norm = (x: number, low: number, limit: number): number => Math.floor(0.5 + limit * Math.min(Math.max(Number.isNaN(x) ? low : x, low), 1))

const signed = (word: number): number[] => bytes(word).map((b) => (b << 24) >> 24)
const dotBytes = (a: Lanes, b: Lanes): number => a.reduce((sum, x, i) => sum + x * lane(b, i), 0)
export const dot4I8: LaneFn = (a = 0, b = 0) => dotBytes(signed(a), signed(b))
export const dot4U8: LaneFn = (a = 0, b = 0) => dotBytes(bytes(a), bytes(b))
