import { evalFor, PURE, type PureName, type Row } from '../../ops'
import { apply } from '../apply'
import { type Handle, isHandle } from '../handle'

/** A number without a type: its partner or the tag of the template gives it one. */
export interface Literal {
  readonly literal: number
  /** Whether it is written as a float: `1.0 / 2` is a half, `1 / 2` is 0. */
  readonly float: boolean
}

/** What a part of a template stands for. */
export type Value = Handle | Literal | boolean

/** Reports what is wrong with an operator, with a caret under it. */
export type Fault = (message: string) => never

const isLiteral = (v: Value): v is Literal => typeof v === 'object' && 'literal' in v

/** With a literal as the number that it is. */
export const plain = (v: Value): Handle | number | boolean => (isLiteral(v) ? v.literal : v)

export function unary(symbol: string, op: PureName, v: Value, fault: Fault): Value {
  if (isHandle(v)) return apply(op, [v])
  if ((op === 'not') !== (typeof v === 'boolean')) fault(`'${symbol}' does not apply to a ${typeof plain(v)}`)
  if (typeof v === 'boolean') return !v
  if (op === 'bitNot') return { literal: ~v.literal, float: false }
  return { literal: v.literal === 0 && !v.float ? 0 : -v.literal, float: v.float }
}

export function binary(symbol: string, op: PureName, a: Value, b: Value, fault: Fault): Value {
  if (isLiteral(a) && isLiteral(b)) return fold(symbol, op, a, b, fault)
  return apply(op, [plain(a), plain(b)])
}

/** Arithmetic on literals alone, as WGSL does it on abstract numbers: exact, and without the range of a type. */
function fold(symbol: string, op: PureName, a: Literal, b: Literal, fault: Fault): Value {
  const x = a.literal
  const y = b.literal
  if (op === 'shl') return { literal: x * 2 ** y, float: false }
  if (op === 'shr') return { literal: Math.floor(x / 2 ** y), float: false }
  const row: Row = PURE[op]
  const evaluate = evalFor(row, 'f32')
  if (!row.over.includes('f32') || !evaluate)
    return fault(`'${symbol}' of two literals has no type: give one a suffix (1u, 1i)`)
  if (y === 0 && (op === 'div' || op === 'rem')) fault('division by zero')
  const literal = evaluate(x, y)
  if (row.out === 'B') return literal === 1
  const float = a.float || b.float
  return { literal: float ? literal : Math.trunc(literal), float }
}
