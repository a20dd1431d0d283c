import { type Expr, type Op, PURE, type PureName, type ValueName } from '@weft/dsl/ir'
import { bitcastTo, constOf, lanesOf, opOf } from '../nodes'

/** Ops of packed integers, which need a language feature. */
export const PACKED: ReadonlySet<string> = new Set(
  Object.entries(PURE).flatMap(([op, row]) => ('feature' in row && row.feature === 'packed-dot' ? [op] : [])),
)

const FROM_LOW = constOf('vec4u', [0, 8, 16, 24])
const FROM_HIGH = constOf('vec4u', [24, 16, 8, 0])

/** The same without the feature, by shifts; in terms of each other, as they are lowered in turn. */
export function lowerPacked({ at, op, args }: Op): Expr {
  const o = (name: PureName, ...operands: readonly (Expr | number)[]): Expr => opOf(at, name, ...operands)
  const four = (type: ValueName, e: Expr): Expr => ({ kind: 'construct', at, type, args: [e] })
  const [a, b] = args as [Expr, Expr]
  switch (op) {
    case 'unpack4xU8':
      return o('bitAnd', o('shr', four('vec4u', a), FROM_LOW), 255)
    case 'unpack4xI8': // each byte to the top, then down again with its sign
      return o('shr', o('shl', four('vec4i', bitcastTo(at, 'i32', a)), FROM_HIGH), 24)
    case 'pack4xU8': {
      const bytes = o('shl', o('bitAnd', a, 255), FROM_LOW)
      return [1, 2, 3].reduce<Expr>((sum, i) => o('bitOr', sum, lanesOf(at, bytes, [i])), lanesOf(at, bytes, [0]))
    }
    case 'dot4U8Packed':
      return o('dot', o('unpack4xU8', a), o('unpack4xU8', b))
    case 'dot4I8Packed':
      return o('dot', o('unpack4xI8', a), o('unpack4xI8', b))
    case 'pack4xI8':
      return o('pack4xU8', bitcastTo(at, 'vec4u', a))
    case 'pack4xU8Clamp':
      return o('pack4xU8', o('min', a, 255))
    default: // pack4xI8Clamp
      return o('pack4xI8', o('clamp', a, -128, 127))
  }
}
