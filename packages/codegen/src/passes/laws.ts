import type { PureName } from '@weft/dsl/ir'

/**
 * The laws by which expressions are simplified, as data, so that each is tested on every type that it is stated for:
 * on ±0, ±∞, NaN, subnormals, the least and the greatest values, bit by bit.
 *
 * `x`, `y`, `z` stand for any expression, `a`, `b`, `c` for constants; a number is a constant with that number in all
 * lanes, and -0 is not 0. A function on the right computes a constant from those on the left.
 */
export type Term = string | number | boolean | readonly [PureName, ...Term[]]
type Computed = (...constants: number[]) => number
export type Right = string | number | boolean | readonly [PureName, ...(Term | Computed)[]]

export interface Law {
  readonly says: string
  readonly on: 'int' | 'u32' | 'i32' | 'float' | 'number' | 'signed' | 'bool' | 'any'
  readonly left: readonly [PureName, ...Term[]]
  readonly right: Right
  /** Of the constants, in order of appearance. */
  readonly where?: (...constants: number[]) => boolean
}

const law = (says: string, on: Law['on'], left: Law['left'], right: Right, where?: Law['where']): Law =>
  where ? { says, on, left, right, where } : { says, on, left, right }

const nonzero = (a: number): boolean => a !== 0

export const LAWS: readonly Law[] = [
  // Sums. A float plus 0 is not itself: -0 + 0 is 0.
  law('x + 0 = x', 'int', ['add', 'x', 0], 'x'),
  law('0 + x = x', 'int', ['add', 0, 'x'], 'x'),
  law('x + -0 = x', 'float', ['add', 'x', -0], 'x'),
  law('x - 0 = x', 'number', ['sub', 'x', 0], 'x'),
  law('x - x = 0', 'int', ['sub', 'x', 'x'], 0), // floats: ∞ - ∞ is NaN
  law('(x + a) + b = x + (a + b)', 'int', ['add', ['add', 'x', 'a'], 'b'], ['add', 'x', (a, b) => a + b]),
  law('(a + x) + b = x + (a + b)', 'int', ['add', ['add', 'a', 'x'], 'b'], ['add', 'x', (a, b) => a + b]),
  law(
    '(x - a) + b = x + (b - a)',
    'int',
    ['add', ['sub', 'x', 'a'], 'b'],
    ['add', 'x', (a, b) => b - a],
    (a, b) => b >= a,
  ),
  law(
    '(x + a) - b = x + (a - b)',
    'int',
    ['sub', ['add', 'x', 'a'], 'b'],
    ['add', 'x', (a, b) => a - b],
    (a, b) => a >= b,
  ),

  // Products.
  law('x * 1 = x', 'number', ['mul', 'x', 1], 'x'),
  law('1 * x = x', 'number', ['mul', 1, 'x'], 'x'),
  law('x * 0 = 0', 'int', ['mul', 'x', 0], 0), // floats: NaN, ∞ and -0 survive
  law('0 * x = 0', 'int', ['mul', 0, 'x'], 0),
  law('(x * a) * b = x * (a * b)', 'int', ['mul', ['mul', 'x', 'a'], 'b'], ['mul', 'x', (a, b) => Math.imul(a, b)]),
  law('fma(x, 1, y) = x + y', 'float', ['fma', 'x', 1, 'y'], ['add', 'x', 'y']),
  law('fma(1, x, y) = x + y', 'float', ['fma', 1, 'x', 'y'], ['add', 'x', 'y']),
  law('fma(x, y, -0) = x * y', 'float', ['fma', 'x', 'y', -0], ['mul', 'x', 'y']),

  // Quotients. Powers of 2 stay quotients, for the reader: drivers make shifts of them. And `x & 15` for `x % 16` would
  // cost: Tint proves the range of the latter and leaves out the clamp of an index made of it.
  law('x / 1 = x', 'number', ['div', 'x', 1], 'x'),
  law(
    '(x / a) / b = x / (a * b)',
    'u32',
    ['div', ['div', 'x', 'a'], 'b'],
    ['div', 'x', (a, b) => a * b],
    (a, b) => a > 0 && b > 0 && a * b < 2 ** 32,
  ),
  law('x / 0 = x', 'int', ['div', 'x', 0], 'x'),
  law('x % 0 = 0', 'int', ['rem', 'x', 0], 0),
  law('x % 1 = 0', 'int', ['rem', 'x', 1], 0),
  law(
    '(x % a) % a = x % a',
    'int',
    ['rem', ['rem', 'x', 'a'], 'b'],
    ['rem', 'x', 'a'],
    (a, b) => a === b && nonzero(a),
  ),

  // Signs.
  law('-(-x) = x', 'signed', ['neg', ['neg', 'x']], 'x'),
  law('x - (-y) = x + y', 'signed', ['sub', 'x', ['neg', 'y']], ['add', 'x', 'y']),
  law('x + (-y) = x - y', 'signed', ['add', 'x', ['neg', 'y']], ['sub', 'x', 'y']),
  law('abs(-x) = abs(x)', 'signed', ['abs', ['neg', 'x']], ['abs', 'x']),
  law('abs(abs(x)) = abs(x)', 'number', ['abs', ['abs', 'x']], ['abs', 'x']),

  // Bits.
  law('x & x = x', 'int', ['bitAnd', 'x', 'x'], 'x'),
  law('x & 0 = 0', 'int', ['bitAnd', 'x', 0], 0),
  law('x | x = x', 'int', ['bitOr', 'x', 'x'], 'x'),
  law('x | 0 = x', 'int', ['bitOr', 'x', 0], 'x'),
  law('0 | x = x', 'int', ['bitOr', 0, 'x'], 'x'),
  law('x ^ x = 0', 'int', ['bitXor', 'x', 'x'], 0),
  law('x ^ 0 = x', 'int', ['bitXor', 'x', 0], 'x'),
  law('~~x = x', 'int', ['bitNot', ['bitNot', 'x']], 'x'),
  law('x << 0 = x', 'int', ['shl', 'x', 0], 'x'),
  law('x >> 0 = x', 'int', ['shr', 'x', 0], 'x'),
  law('x << a = x << (a mod 32)', 'int', ['shl', 'x', 'a'], ['shl', 'x', (a) => a % 32], (a) => a >= 32),
  law('x >> a = x >> (a mod 32)', 'int', ['shr', 'x', 'a'], ['shr', 'x', (a) => a % 32], (a) => a >= 32),
  law(
    '(x >> a) >> b = x >> (a + b)',
    'int',
    ['shr', ['shr', 'x', 'a'], 'b'],
    ['shr', 'x', (a, b) => a + b],
    (a, b) => a + b < 32,
  ),

  // Bounds.
  law('min(x, x) = x', 'int', ['min', 'x', 'x'], 'x'),
  law('max(x, x) = x', 'int', ['max', 'x', 'x'], 'x'),
  law('max(x, 0) = x', 'u32', ['max', 'x', 0], 'x'),
  law('min(min(x, a), b) = min(x, min(a, b))', 'int', ['min', ['min', 'x', 'a'], 'b'], ['min', 'x', Math.min]),
  law('max(max(x, a), b) = max(x, max(a, b))', 'int', ['max', ['max', 'x', 'a'], 'b'], ['max', 'x', Math.max]),

  // Logic. Expressions have no effects, so what is not needed need not be evaluated.
  law('!!x = x', 'bool', ['not', ['not', 'x']], 'x'),
  law('x && true = x', 'bool', ['and', 'x', true], 'x'),
  law('true && x = x', 'bool', ['and', true, 'x'], 'x'),
  law('x && false = false', 'bool', ['and', 'x', false], false),
  law('false && x = false', 'bool', ['and', false, 'x'], false),
  law('x && x = x', 'bool', ['and', 'x', 'x'], 'x'),
  law('x || false = x', 'bool', ['or', 'x', false], 'x'),
  law('false || x = x', 'bool', ['or', false, 'x'], 'x'),
  law('x || true = true', 'bool', ['or', 'x', true], true),
  law('true || x = true', 'bool', ['or', true, 'x'], true),
  law('x || x = x', 'bool', ['or', 'x', 'x'], 'x'),
  law('!(x == y) = x != y', 'bool', ['not', ['eq', 'x', 'y']], ['ne', 'x', 'y']), // also of NaN: both are its opposite
  law('!(x != y) = x == y', 'bool', ['not', ['ne', 'x', 'y']], ['eq', 'x', 'y']),
  law('x < 0 = false', 'u32', ['lt', 'x', 0], false),
  law('x >= 0 = true', 'u32', ['ge', 'x', 0], true),

  // Choices.
  law('select(x, x, y) = x', 'any', ['select', 'x', 'x', 'y'], 'x'),
  law('select(x, y, true) = y', 'any', ['select', 'x', 'y', true], 'y'),
  law('select(x, y, false) = x', 'any', ['select', 'x', 'y', false], 'x'),
  law('select(x, y, !z) = select(y, x, z)', 'any', ['select', 'x', 'y', ['not', 'z']], ['select', 'y', 'x', 'z']),
]
