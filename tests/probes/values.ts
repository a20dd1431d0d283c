/** Values that have gone wrong somewhere: zeros, ones, edges of domains and ranges, bit patterns. */
import { roundF16, type ScalarName } from '@weft/dsl/ir'

const FLOATS = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2,
  -2,
  3,
  0.1,
  -0.1,
  0.75,
  1.5,
  -1.5,
  2.5,
  -2.5,
  -3.7,
  Math.PI,
  -Math.PI / 2,
  1 / 3,
  10,
  -10.25,
  100.5,
  1000,
  0.001,
  -0.0625,
  0.99,
  1.01,
  15,
  20,
  -20,
  5.5,
  7,
  NaN,
  Infinity,
  -Infinity,
]
const F32S = [
  ...FLOATS,
  65504,
  65536,
  123456.789,
  -1e6,
  8388608,
  16777216,
  -16777215,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  1e10,
  1e20,
  -1e30,
  3.4028234663852886e38,
  -3.4028234663852886e38,
  2 ** -126,
  -(2 ** -126),
  1e-10,
  -1e-20,
  1e-30,
  2 ** -149,
  -(2 ** -130),
  0.9999999,
  1.0000001,
  88.7,
  -87,
  1.9999999,
].map(Math.fround)
const F16S = [
  ...FLOATS,
  65504,
  -65504,
  2048,
  2049,
  2 ** -14,
  -(2 ** -14),
  2 ** -24,
  -(2 ** -20),
  0.9995,
  1.001,
  11,
  -9,
  300,
  4096,
  32768,
].map(roundF16)

const BITS = [
  0,
  1,
  2,
  3,
  7,
  8,
  31,
  32,
  33,
  127,
  128,
  255,
  256,
  32767,
  32768,
  65535,
  65536,
  0x12345678,
  0x55555555,
  1_000_000_007,
  2 ** 30,
  2 ** 31 - 1,
]
const I32S = [...BITS, -1, -2, -7, -8, -128, -129, -65536, -0x12345678, -(2 ** 31), 1 - 2 ** 31, -1_000_000_007]
const U32S = [...BITS, 2 ** 31, 2 ** 31 + 1, 0xaaaaaaaa, 0xf0f0f0f0, 0xfffffff8, 0xfffffffe, 0xffffffff]

export const VALUES: Readonly<Record<ScalarName, readonly number[]>> = {
  bool: [0, 1],
  f16: F16S,
  f32: F32S,
  i32: I32S,
  u32: U32S,
}

/** Fewer, for operations of three and four arguments. */
const FEW: Readonly<Record<ScalarName, readonly number[]>> = {
  bool: [0, 1],
  f16: [0, 1, -1, 0.5, -2.5, 3, 0.1, 100.5, -0.0625, 2048, 65504, 2 ** -14, NaN, Infinity],
  f32: [0, 1, -1, 0.5, -2.5, 3, 0.1, 100.5, -1e6, 1e20, 3.4028234663852886e38, 2 ** -126, -1e-20, NaN, Infinity].map(
    Math.fround,
  ),
  i32: [0, 1, -1, 5, -128, 0x12345678, 2 ** 31 - 1, -(2 ** 31)],
  u32: [0, 1, 5, 255, 0x12345678, 0xf0f0f0f0, 0x80000000, 0xffffffff],
}

const AMOUNTS = [0, 1, 2, 5, 8, 16, 24, 31, 32, 33, 63, 255, 0xffffffff]
const EXPONENTS = [-200, -150, -127, -126, -24, -14, -10, -1, 0, 1, 2, 10, 15, 16, 24, 100, 126, 127, 128]

/** The lists to combine for an operation whose slots have these scalars; `count`: an amount of bits, `exponent`: of 2. */
export function listsFor(
  slots: readonly { readonly scalar: ScalarName; readonly role: 'value' | 'count' | 'exponent' }[],
): readonly (readonly number[])[] {
  const many = slots.filter((s) => s.role === 'value').length
  return slots.map(({ scalar, role }) =>
    role === 'count'
      ? AMOUNTS
      : role === 'exponent'
        ? EXPONENTS
        : many > 2 || slots.length > 3
          ? FEW[scalar]
          : VALUES[scalar],
  )
}

/** Every combination. */
export const combinations = (lists: readonly (readonly number[])[]): number[][] =>
  lists.reduce<number[][]>((all, list) => all.flatMap((head) => list.map((x) => [...head, x])), [[]])

/** Numbers that are the same on every run. */
export function sequence(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A value for operations that mix lanes: mostly moderate, so that something is fixed, sometimes one of the list. */
export function mixed(scalar: ScalarName, next: () => number): number {
  if (next() < 0.08) return VALUES[scalar][Math.floor(next() * VALUES[scalar].length)] as number
  if (scalar === 'bool') return next() < 0.5 ? 0 : 1
  if (scalar === 'i32') return next() < 0.5 ? Math.floor(next() * 41) - 20 : Math.floor(next() * 2 ** 32) | 0
  if (scalar === 'u32') return next() < 0.5 ? Math.floor(next() * 41) : Math.floor(next() * 2 ** 32)
  const x = next() < 0.4 ? Math.floor(next() * 9) - 4 : (next() - 0.5) * (next() < 0.5 ? 2 : 16)
  return scalar === 'f16' ? roundF16(x) : Math.fround(x)
}
