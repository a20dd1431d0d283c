import { PURE, type PureName, type Row } from '@weft/dsl/ir'

/**
 * The laws by which expressions are simplified, each tested on every type that it is stated for: on ±0, ∞, NaN,
 * subnormals, the least and the greatest values, bit by bit.
 *
 * `x`, `y`, `z` stand for any expression, `a`, `b`, `c` for constants; a number is a constant with that number in all
 * lanes, and -0 is not 0. What the right side makes of constants is computed.
 *
 * Laws of index arithmetic leave neighbours with as much in common as there is: sums, products and quotients of one base,
 * and constants after it. Four products `(x + 8 i) * 33 + y` took SwiftShader 24 % less with one product, eight quotients
 * and remainders of sums by 16 took a third. A product of a loop's index as a running sum gained nothing (138 ms with the
 * product, 162 with the sum; 1,044 and 1,092 without memory), and engines do not follow a variable: each index would be
 * clamped.
 */
export interface Law {
  readonly says: string
  /** The scalar types of the first operand. */
  readonly on: 'int' | 'u32' | 'float' | 'number' | 'signed' | 'bool' | 'any'
  readonly left: Application
  readonly right: Term
  /**
   * What most expressions fail at, in bits: that the first two operands are the same; that an operand is a constant, from
   * the second bit on; that it is an operation, from the fifth.
   */
  readonly shape: number
  /** Of the constants, in order of appearance. */
  readonly where: (...constants: number[]) => boolean
}

/** A letter, a number, or an op with its operands. */
export type Term = string | number | Application
export type Application = readonly [PureName, ...Term[]]

const law = (on: Law['on'], says: string, where: Law['where'] = () => true): Law => {
  const [left, right] = says.split(' = ').map(parse) as [Application, Term]
  const [, ...operands] = left
  const shape = operands.reduce<number>(
    (bits, term, i) => bits | (typeof term === 'object' ? 16 << i : isConstant(term) ? 2 << i : 0),
    operands[0] === operands[1] ? 1 : 0,
  )
  return { says, on, left, right, shape, where }
}

/** Numbers are constants, and so are `a`, `b`, `c`; other letters are anything. */
export const isConstant = (term: string | number): boolean => typeof term === 'number' || term < 'd'

/** Ops by their spelling, as operators before and between operands. */
const SPELLED: Record<Row['form'], Record<string, PureName>> = { prefix: {}, infix: {}, call: {} }
for (const [op, { form, wgsl }] of Object.entries(PURE) as [PureName, Row][]) SPELLED[form][wgsl] ??= op

/** The term that a text stands for. Operators are those of WGSL, all of one precedence. */
function parse(text: string): Term {
  const tokens = text.match(/\w+|<<|>>|&&|\|\||[=!<>]=|\S/g) as string[]
  let at = 0
  const operand = (): Term => {
    const token = tokens[at++] as string
    if (token === '(') {
      const inner = binary()
      at++ // `)`
      return inner
    }
    const prefix = SPELLED.prefix[token]
    if (prefix) {
      const of = operand()
      return of === 0 ? -0 : [prefix, of]
    }
    if (tokens[at] !== '(') return token === 'true' ? 1 : token === 'false' ? 0 : token < 'a' ? Number(token) : token
    const operands: Term[] = []
    while (tokens[at++] !== ')') operands.push(binary())
    return [token as PureName, ...operands]
  }
  const binary = (): Term => {
    const left = operand()
    const op = SPELLED.infix[tokens[at] as string]
    if (!op) return left
    at++
    return [op, left, operand()]
  }
  return binary()
}

const isPower = (n: number): boolean => n > 0 && Number.isInteger(Math.log2(n))
/** Whether a number is a multiple of a power of 2. */
const ofPower = (a: number, b: number): boolean => isPower(b) && a % b === 0

export const LAWS: readonly Law[] = [
  // Sums. A float plus 0 is not itself: -0 + 0 is 0.
  law('int', 'x + 0 = x'),
  law('int', '0 + x = x'),
  law('float', 'x + -0 = x'),
  law('number', 'x - 0 = x'),
  law('int', 'x - x = 0'), // floats: ∞ - ∞ is NaN
  law('int', '(x + a) + b = x + (a + b)'),
  law('int', '(a + x) + b = x + (a + b)'),
  // constants last, so that what is left of neighbouring indices is the same
  law('int', 'x + (y + a) = (x + y) + a'),
  law('int', '(x + a) + y = (x + y) + a'),
  law('int', '(x - a) + b = x + (b - a)', (a, b) => b >= a),
  law('int', '(x + a) - b = x + (a - b)', (a, b) => a >= b),

  // Products.
  law('number', 'x * 1 = x'),
  law('number', '1 * x = x'),
  law('int', 'x * 0 = 0'), // floats: NaN, ∞ and -0 survive
  law('int', '0 * x = 0'),
  law('int', '(x * a) * b = x * (a * b)'),
  // neighbours then have a product in common, and differ by constants
  law('int', '(x + a) * b = (x * b) + (a * b)'),

  // Quotients. Powers of 2 stay quotients, for the reader: drivers make shifts of them. And `x & 15` for `x % 16` would
  // cost: Tint proves the range of the latter and leaves out the clamp of an index made of it.
  law('number', 'x / 1 = x'),
  law('u32', '(x / a) / b = x / (a * b)', (a, b) => a > 0 && b > 0 && a * b < 2 ** 32),
  law('int', 'x / 0 = x'),
  law('int', 'x % 0 = 0'),
  law('int', 'x % 1 = 0'),
  law('int', '((x / a) * a) + (x % a) = x', (a) => a !== 0),
  // what wraps does so by a multiple of a power of 2; other quotients of sums take what is known of these: `ranges.ts`
  law('u32', '(x * a) % b = 0', ofPower),
  law('u32', '(x + a) % b = (x + (a % b)) % b', (a, b) => a >= b && isPower(b)),
  law('u32', '((x * a) + y) % b = y % b', ofPower),
  law('u32', '(x + (y * a)) % b = x % b', ofPower),

  // Signs.
  law('signed', '-(-x) = x'),

  // Bits.
  law('int', 'x | 0 = x'),
  law('int', '0 | x = x'),
  law('int', 'x << 0 = x'),
  law('int', 'x >> 0 = x'),
  law('int', 'x << a = x << (a % 32)', (a) => a >= 32),
  law('int', 'x >> a = x >> (a % 32)', (a) => a >= 32),

  // Bounds.
  law('u32', 'max(x, 0) = x'),

  // Logic. Expressions have no effects, so what is not needed need not be evaluated.
  law('bool', '!(!x) = x'),
  law('bool', 'x && true = x'),
  law('bool', 'true && x = x'),
  law('bool', 'x && false = false'),
  law('bool', 'false && x = false'),
  law('bool', 'x || false = x'),
  law('bool', 'false || x = x'),
  law('bool', 'x || true = true'),
  law('bool', 'true || x = true'),
  law('bool', '!(x == y) = x != y'), // also of NaN: both are its opposite
  law('bool', '!(x != y) = x == y'),
  law('u32', 'x < 0 = false'),
  law('u32', 'x >= 0 = true'),

  // Choices.
  law('any', 'select(x, y, true) = y'),
  law('any', 'select(x, y, false) = x'),
  law('any', 'select(x, y, !z) = select(y, x, z)'),
]
