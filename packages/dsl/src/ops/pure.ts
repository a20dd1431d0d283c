import { f16Bits, f16FromBits, roundEven, roundF16 } from '../types'
import * as F from './families'
import type { Row } from './row'
import * as R from './refuse'
import * as W from './whole'

// Signatures that many rows have; a row overrides what is different in it.
/** Of a float or its lanes. */
const FLOAT = { over: F.FLOAT, in: ['T'], out: 'T' } as const
const INTEGER = { over: F.INT, in: ['T'], out: 'T' } as const
const INFIX = { over: F.NUMERIC, in: ['T', 'T'], out: 'T', form: 'infix' } as const
const COMPARE = { ...INFIX, out: 'B' } as const

/**
 * The table of pure ops: every operator and built-in function of WGSL that computes a value from values and can
 * be used in a compute shader. To add a built-in, add a row. Where a row does not say otherwise, its op is a call, has
 * its own name in WGSL, and is exact.
 */
const TABLE = {
  // Operators. Integers wrap; `x / 0` is `x` and `x % 0` is 0, as the specification has it at run time.
  /** `-x`. */
  neg: { over: F.SIGNED, in: ['T'], out: 'T', form: 'prefix', wgsl: '-', eval: (a) => -a },
  /** `!x`, lane by lane. */
  not: { over: F.BOOL, in: ['T'], out: 'T', form: 'prefix', wgsl: '!', eval: (a) => (a ? 0 : 1) },
  /** `~x`: all bits flipped. */
  bitNot: { ...INTEGER, form: 'prefix', wgsl: '~', eval: (a) => ~a },
  /** `x + y`. */
  add: { ...INFIX, over: F.ADDITIVE, wgsl: '+', eval: (a, b) => a + b },
  /** `x - y`. */
  sub: { ...INFIX, over: F.ADDITIVE, wgsl: '-', eval: (a, b) => a - b },
  /** `x * y`, lane by lane; matrix products are the op `product`. */
  mul: { ...INFIX, wgsl: '*', eval: { float: (a, b) => a * b, i32: Math.imul, u32: Math.imul } },
  /** `x / y`. Integers truncate; a divisor of 0 gives `x`. */
  div: { ...INFIX, wgsl: '/', accuracy: 'div', eval: { float: (a, b) => a / b, i32: (a, b) => (b === 0 ? a : a / b), u32: (a, b) => (b === 0 ? a : Math.floor(a / b)) }, refuse: R.zeroDivisor, refuseAny: R.divisor },
  /** `x % y`, with the sign of `x`. Integers: a divisor of 0 gives 0. */
  rem: { ...INFIX, wgsl: '%', accuracy: 'inherited', eval: { float: (a, b) => a % b, i32: (a, b) => (b === 0 ? 0 : a % b), u32: (a, b) => (b === 0 ? 0 : a % b) }, refuse: R.remainder, refuseAny: R.divisor },
  /** `x & y`. */
  bitAnd: { ...INFIX, over: F.INT, wgsl: '&', eval: (a, b) => a & b },
  /** `x | y`. */
  bitOr: { ...INFIX, over: F.INT, wgsl: '|', eval: (a, b) => a | b },
  /** `x ^ y`. */
  bitXor: { ...INFIX, over: F.INT, wgsl: '^', eval: (a, b) => a ^ b },
  /** `x << y`, the amount taken modulo 32. */
  shl: { over: F.INT, in: ['T', 'U'], out: 'T', form: 'infix', wgsl: '<<', eval: (a, b) => a << b, refuseAny: R.shiftAmount },
  /** `x >> y`, the amount taken modulo 32; i32 keeps its sign. */
  shr: { over: F.INT, in: ['T', 'U'], out: 'T', form: 'infix', wgsl: '>>', eval: { i32: (a, b) => a >> b, u32: (a, b) => a >>> b }, refuseAny: R.shiftAmount },
  /** `x == y`, lane by lane. */
  eq: { ...COMPARE, over: F.PLAIN, wgsl: '==', eval: (a, b) => (a === b ? 1 : 0) },
  /** `x != y`, lane by lane. Not a test for NaN: compilers may assume that there is none. */
  ne: { ...COMPARE, over: F.PLAIN, wgsl: '!=', eval: (a, b) => (a !== b ? 1 : 0) },
  /** `x < y`, lane by lane. */
  lt: { ...COMPARE, wgsl: '<', eval: (a, b) => (a < b ? 1 : 0) },
  /** `x <= y`, lane by lane. */
  le: { ...COMPARE, wgsl: '<=', eval: (a, b) => (a <= b ? 1 : 0) },
  /** `x > y`, lane by lane. */
  gt: { ...COMPARE, wgsl: '>', eval: (a, b) => (a > b ? 1 : 0) },
  /** `x >= y`, lane by lane. */
  ge: { ...COMPARE, wgsl: '>=', eval: (a, b) => (a >= b ? 1 : 0) },
  /** `x && y`: the second operand is not evaluated when the first is false, and loads nothing either way. */
  and: { ...INFIX, over: ['bool'], wgsl: '&&', eval: (a, b) => a & b },
  /** `x || y`. */
  or: { ...INFIX, over: ['bool'], wgsl: '||', eval: (a, b) => a | b },
  /** `x & y` on bools: both are evaluated, lane by lane. */
  boolAnd: { ...INFIX, over: F.BOOL, wgsl: '&', eval: (a, b) => a & b },
  /** `x | y` on bools. */
  boolOr: { ...INFIX, over: F.BOOL, wgsl: '|', eval: (a, b) => a | b },

  // Logic.
  /** Whether every lane is true. */
  all: { over: F.BOOL, in: ['T'], out: 'bool', whole: (_, [a = []]) => [a.every(Boolean) ? 1 : 0] },
  /** Whether any lane is true. */
  any: { over: F.BOOL, in: ['T'], out: 'bool', whole: (_, [a = []]) => [a.some(Boolean) ? 1 : 0] },
  /** `select(falseValue, trueValue, condition)`: both sides are evaluated. See `k.when` for the lazy form. */
  select: { over: F.PLAIN, in: ['T', 'T', 'BS'], out: 'T', eval: (a, b, c) => (c ? b : a) },

  // Numeric, exact.
  /** |x|; the most negative i32 stays itself. */
  abs: { over: F.NUMERIC, in: ['T'], out: 'T', eval: (a) => Math.abs(a) },
  /** −1, 0 or 1 by the sign of x. */
  sign: { over: F.SIGNED, in: ['T'], out: 'T', eval: (a) => (a > 0 ? 1 : a < 0 ? -1 : 0) },
  /** The lesser. For floats, a NaN among the arguments gives either. */
  min: { over: F.NUMERIC, in: ['T', 'T'], out: 'T', eval: (a, b) => (b < a ? b : a) },
  /** The greater. For floats, a NaN among the arguments gives either. */
  max: { over: F.NUMERIC, in: ['T', 'T'], out: 'T', eval: (a, b) => (a < b ? b : a) },
  /** `clamp(x, low, high)`; low must not exceed high. */
  clamp: { over: F.NUMERIC, in: ['T', 'T', 'T'], out: 'T', eval: (x, lo, hi) => (x < lo ? lo : x > hi ? hi : x), refuseAny: R.lowAboveHigh },
  /** The least integer ≥ x. */
  ceil: { ...FLOAT, eval: Math.ceil },
  /** The greatest integer ≤ x. */
  floor: { ...FLOAT, eval: Math.floor },
  /** The nearest integer, ties to even. */
  round: { ...FLOAT, eval: roundEven },
  /** x without its fraction. */
  trunc: { ...FLOAT, eval: Math.trunc },
  /** `x - floor(x)`. */
  fract: { ...FLOAT, accuracy: 'fract', eval: (a) => a - Math.floor(a) },
  /** `clamp(x, 0, 1)`. */
  saturate: { ...FLOAT, eval: (a) => Math.min(Math.max(a, 0), 1) },
  /** 1 where `x >= edge`, else 0: `step(edge, x)`. */
  step: { ...FLOAT, in: ['T', 'T'], eval: (edge, x) => (x >= edge ? 1 : 0) },
  /** `x * y + z`, fused or not. */
  fma: { ...FLOAT, in: ['T', 'T', 'T'], accuracy: 'inherited', whole: W.fma },
  /** `x * 2^e`. */
  ldexp: { over: F.FLOAT, in: ['T', 'I'], out: 'T', eval: W.ldexp, refuseAny: R.ldexpRange },
  /** Rounds to the nearest f16 value, as f32. */
  quantizeToF16: { over: F.FLOAT32, in: ['T'], out: 'T', eval: roundF16, refuse: R.f16Range },

  // Numeric, with an error bound.
  /** √x. */
  sqrt: { ...FLOAT, accuracy: 'sqrt', eval: Math.sqrt, refuse: R.negative },
  /** 1 / √x. */
  inverseSqrt: { ...FLOAT, accuracy: 'inverseSqrt', eval: (a) => 1 / Math.sqrt(a), refuse: R.notPositive },
  /** e^x. */
  exp: { ...FLOAT, accuracy: 'exp', eval: Math.exp },
  /** 2^x. */
  exp2: { ...FLOAT, accuracy: 'exp', eval: (a) => 2 ** a },
  /** ln x. */
  log: { ...FLOAT, accuracy: 'log', eval: Math.log, refuse: R.notPositive },
  /** log₂ x. */
  log2: { ...FLOAT, accuracy: 'log', eval: Math.log2, refuse: R.notPositive },
  /** x^y for x ≥ 0. Below 0 engines differ, except for constant integers from −16 to 16, for which the compiler multiplies. */
  pow: { ...FLOAT, in: ['T', 'T'], accuracy: 'inherited', eval: (a, b) => a ** b, refuse: R.powDomain },
  /** sin x, x in radians. */
  sin: { ...FLOAT, accuracy: 'sin', eval: Math.sin },
  /** cos x, x in radians. */
  cos: { ...FLOAT, accuracy: 'sin', eval: Math.cos },
  /** tan x, x in radians. */
  tan: { ...FLOAT, accuracy: 'inherited', eval: Math.tan },
  /** Arc sine, for |x| ≤ 1. */
  asin: { ...FLOAT, accuracy: 'asin', eval: Math.asin, refuse: R.beyondOne },
  /** Arc cosine, for |x| ≤ 1. */
  acos: { ...FLOAT, accuracy: 'acos', eval: Math.acos, refuse: R.beyondOne },
  /** Arc tangent. */
  atan: { ...FLOAT, accuracy: 'atan', eval: Math.atan },
  /** The angle of the point (x, y): `atan2(y, x)`. */
  atan2: { ...FLOAT, in: ['T', 'T'], accuracy: 'atan2', eval: Math.atan2 },
  /** Hyperbolic sine. */
  sinh: { ...FLOAT, accuracy: 'inherited', eval: Math.sinh },
  /** Hyperbolic cosine. */
  cosh: { ...FLOAT, accuracy: 'inherited', eval: Math.cosh },
  /** Hyperbolic tangent; the emitter clamps the argument to ±15, since engines overflow beyond. */
  tanh: { ...FLOAT, accuracy: 'tanh', eval: Math.tanh },
  /** Inverse hyperbolic sine. */
  asinh: { ...FLOAT, accuracy: 'inherited', eval: Math.asinh },
  /** Inverse hyperbolic cosine, for x ≥ 1. */
  acosh: { ...FLOAT, accuracy: 'inherited', eval: Math.acosh, refuse: R.belowOne },
  /** Inverse hyperbolic tangent, for |x| < 1. */
  atanh: { ...FLOAT, accuracy: 'inherited', eval: Math.atanh, refuse: R.oneOrBeyond },
  /** Radians to degrees. */
  degrees: { ...FLOAT, accuracy: 'inherited', eval: (a) => (a * 180) / Math.PI },
  /** Degrees to radians. */
  radians: { ...FLOAT, accuracy: 'inherited', eval: (a) => (a * Math.PI) / 180 },
  /** `x * (1 - t) + y * t`. */
  mix: { over: F.FLOAT, in: ['T', 'T', 'TS'], out: 'T', accuracy: 'inherited', whole: W.mix },
  /** `smoothstep(low, high, x)`; low must differ from high. */
  smoothstep: { ...FLOAT, in: ['T', 'T', 'T'], accuracy: 'inherited', whole: W.smoothstep, refuseAny: R.equalEdges },

  // Two results at once in WGSL; each of them is an op here, and `fn.frexp` / `fn.modf` give both.
  /** The significand of x, in ±[0.5, 1). */
  frexpFract: { ...FLOAT, wgsl: 'frexp', member: 'fract', eval: (a) => W.frexp(a)[0] },
  /** The exponent of x, so that x = fract · 2^exp. */
  frexpExp: { over: F.FLOAT, in: ['T'], out: 'I', wgsl: 'frexp', member: 'exp', eval: (a) => W.frexp(a)[1] },
  /** The fraction of x, with the sign of x. */
  modfFract: { ...FLOAT, wgsl: 'modf', member: 'fract', eval: (a) => a - Math.trunc(a) },
  /** x without its fraction. */
  modfWhole: { ...FLOAT, wgsl: 'modf', member: 'whole', eval: Math.trunc },

  // Vectors and matrices.
  /** Σ xᵢ yᵢ. */
  dot: { over: F.NUMERIC_VECTOR, in: ['T', 'T'], out: 'S', accuracy: 'inherited', whole: W.dot },
  /** The cross product. */
  cross: { over: F.VECTOR3, in: ['T', 'T'], out: 'T', accuracy: 'inherited', whole: W.cross },
  /** √(x · x). */
  length: { over: F.FLOAT, in: ['T'], out: 'S', accuracy: 'inherited', whole: W.length },
  /** `length(x - y)`. */
  distance: { over: F.FLOAT, in: ['T', 'T'], out: 'S', accuracy: 'inherited', whole: W.distance },
  /** `x / length(x)`; not for the zero vector. */
  normalize: { over: F.F_VECTOR, in: ['T'], out: 'T', accuracy: 'inherited', whole: W.normalize },
  /** `x` where `dot(y, z) < 0`, else `-x`. */
  faceForward: { over: F.F_VECTOR, in: ['T', 'T', 'T'], out: 'T', accuracy: 'inherited', whole: W.faceForward },
  /** `x - 2 * dot(n, x) * n`. */
  reflect: { over: F.F_VECTOR, in: ['T', 'T'], out: 'T', accuracy: 'inherited', whole: W.reflect },
  /** Refraction of `x` at a surface with normal `n` and ratio of indices `eta`. */
  refract: { over: F.F_VECTOR, in: ['T', 'T', 'S'], out: 'T', accuracy: 'inherited', whole: W.refract },
  /** The transposed matrix. */
  transpose: { over: F.MATRIX, in: ['T'], out: 'R', whole: W.transpose },
  /** The determinant of a square matrix. */
  determinant: { over: F.SQUARE, in: ['T'], out: 'S', accuracy: 'inherited', whole: W.determinant },

  // Bits.
  /** The number of leading zeros. */
  countLeadingZeros: { ...INTEGER, eval: Math.clz32 },
  /** The number of ones. */
  countOneBits: { ...INTEGER, eval: W.countOnes },
  /** The number of trailing zeros. */
  countTrailingZeros: { ...INTEGER, eval: (a) => ((a | 0) === 0 ? 32 : 31 - Math.clz32(a & -a)) },
  /** The position of the most significant bit that differs from the sign; −1 if there is none. */
  firstLeadingBit: { ...INTEGER, eval: { i32: (a) => 31 - Math.clz32(a < 0 ? ~a : a), u32: (a) => 31 - Math.clz32(a) } },
  /** The position of the least significant one; −1 if there is none. */
  firstTrailingBit: { ...INTEGER, eval: (a) => ((a | 0) === 0 ? -1 : 31 - Math.clz32(a & -a)) },
  /** The bits in reverse order. */
  reverseBits: { ...INTEGER, eval: W.reverseBits },
  /** `count` bits of x from `offset` on, sign-extended for i32. */
  extractBits: { over: F.INT, in: ['T', 'u32', 'u32'], out: 'T', eval: { i32: W.extractBitsI32, u32: W.extractBitsU32 }, refuseAny: R.bitRange },
  /** x with `count` bits from `offset` on replaced by the low bits of y. */
  insertBits: { over: F.INT, in: ['T', 'T', 'u32', 'u32'], out: 'T', eval: W.insertBits, refuseAny: (_x, _y, offset, count) => R.bitRange(0, offset ?? 0, count ?? 0) },

  // Packed data.
  /** Dot product of four signed bytes, as i32. */
  dot4I8Packed: { over: F.NONE, in: ['u32', 'u32'], out: 'i32', feature: 'packed-dot', eval: W.dot4I8 },
  /** Dot product of four unsigned bytes. */
  dot4U8Packed: { over: F.NONE, in: ['u32', 'u32'], out: 'u32', feature: 'packed-dot', eval: W.dot4U8 },
  /** The low bytes of four i32. */
  pack4xI8: { over: F.NONE, in: ['vec4i'], out: 'u32', feature: 'packed-dot', whole: (_, [a = []]) => [W.packBytes(a)] },
  /** The low bytes of four u32. */
  pack4xU8: { over: F.NONE, in: ['vec4u'], out: 'u32', feature: 'packed-dot', whole: (_, [a = []]) => [W.packBytes(a)] },
  /** Four i32 clamped to −128…127. */
  pack4xI8Clamp: { over: F.NONE, in: ['vec4i'], out: 'u32', feature: 'packed-dot', whole: (_, [a = []]) => [W.packBytes(a.map((x) => Math.min(Math.max(x, -128), 127)))] },
  /** Four u32 clamped to 0…255. */
  pack4xU8Clamp: { over: F.NONE, in: ['vec4u'], out: 'u32', feature: 'packed-dot', whole: (_, [a = []]) => [W.packBytes(a.map((x) => Math.min(x, 255)))] },
  /** Four signed bytes, sign-extended. */
  unpack4xI8: { over: F.NONE, in: ['u32'], out: 'vec4i', feature: 'packed-dot', whole: (_, [[a = 0] = []]) => W.bytes(a).map((x) => (x << 24) >> 24) },
  /** Four unsigned bytes. */
  unpack4xU8: { over: F.NONE, in: ['u32'], out: 'vec4u', feature: 'packed-dot', whole: (_, [[a = 0] = []]) => W.bytes(a) },
  /** Four floats in −1…1 as signed bytes. */
  pack4x8snorm: { over: F.NONE, in: ['vec4f'], out: 'u32', whole: (_, [a = []]) => [W.packBytes(a.map((x) => W.norm(x, -1, 127)))] },
  /** Four floats in 0…1 as bytes. */
  pack4x8unorm: { over: F.NONE, in: ['vec4f'], out: 'u32', whole: (_, [a = []]) => [W.packBytes(a.map((x) => W.norm(x, 0, 255)))] },
  /** Two floats in −1…1 as signed 16-bit. */
  pack2x16snorm: { over: F.NONE, in: ['vec2f'], out: 'u32', whole: (_, [a = []]) => [W.packHalves(a.map((x) => W.norm(x, -1, 32767)))] },
  /** Two floats in 0…1 as 16-bit. */
  pack2x16unorm: { over: F.NONE, in: ['vec2f'], out: 'u32', whole: (_, [a = []]) => [W.packHalves(a.map((x) => W.norm(x, 0, 65535)))] },
  /** Two floats as f16 bits, in one u32; needs no feature. */
  pack2x16float: { over: F.NONE, in: ['vec2f'], out: 'u32', whole: (_, [a = []]) => [W.packHalves(a.map((x) => f16Bits(roundF16(x))))], refuse: R.f16Range },
  /** Signed bytes as floats in −1…1. */
  unpack4x8snorm: { over: F.NONE, in: ['u32'], out: 'vec4f', accuracy: 'unpacked', whole: (_, [[a = 0] = []]) => W.bytes(a).map((x) => Math.max(((x << 24) >> 24) / 127, -1)) },
  /** Bytes as floats in 0…1. */
  unpack4x8unorm: { over: F.NONE, in: ['u32'], out: 'vec4f', accuracy: 'unpacked', whole: (_, [[a = 0] = []]) => W.bytes(a).map((x) => x / 255) },
  /** Signed 16-bit as floats in −1…1. */
  unpack2x16snorm: { over: F.NONE, in: ['u32'], out: 'vec2f', accuracy: 'unpacked', whole: (_, [[a = 0] = []]) => [a & 0xffff, a >>> 16].map((x) => Math.max(((x << 16) >> 16) / 32767, -1)) },
  /** 16-bit as floats in 0…1. */
  unpack2x16unorm: { over: F.NONE, in: ['u32'], out: 'vec2f', accuracy: 'unpacked', whole: (_, [[a = 0] = []]) => [a & 0xffff, a >>> 16].map((x) => x / 65535) },
  /** f16 bits as floats; needs no feature. */
  unpack2x16float: { over: F.NONE, in: ['u32'], out: 'vec2f', whole: (_, [[a = 0] = []]) => [f16FromBits(a & 0xffff), f16FromBits(a >>> 16)] },
} as const satisfies Record<string, Said>

type Defaults = 'form' | 'wgsl' | 'accuracy'
type Said = Omit<Row, Defaults> & Partial<Pick<Row, Defaults>>

export type PureName = keyof typeof TABLE

/** The rows, with what they leave out. */
export const PURE = Object.fromEntries(
  Object.entries<Said>(TABLE).map(([op, row]) => [op, { form: 'call', wgsl: op, accuracy: 'exact', ...row }]),
) as { readonly [K in PureName]: (typeof TABLE)[K] & Pick<Row, 'wgsl' | 'accuracy'> & { readonly form: (typeof TABLE)[K] extends { form: infer F } ? F : 'call' } }
