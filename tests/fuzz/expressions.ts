/** Expressions from genes. Integers wrap; floats keep to sums, products and exact conversions. */

import * as tokens from '@weft/dsl'
import { f32, fn, i32, u32 } from '@weft/dsl'
import { laneCount, type ScalarName, scalarOf, type ValueName, vectorName } from '@weft/dsl/ir'
import type { ExprGene } from './gene.js'
import { type Bounded, call, type FuzzType, KEPT, type Loose, loose, type Place, TYPES } from './scope.js'

const LEAF: ExprGene = { pick: 0, leaf: 0, args: [] }
const arg = (g: ExprGene, i: number): ExprGene => g.args[i] ?? { ...LEAF, leaf: g.leaf + i }
const functions = fn as unknown as Record<string, (...a: readonly unknown[]) => Loose>

type Token = (...parts: readonly unknown[]) => Loose
export const token = (type: ValueName): Token =>
  (type === 'vec2<bool>' ? tokens.vec2b : (tokens as unknown as Record<string, unknown>)[type]) as Token

const LITERALS: Readonly<Record<ScalarName, readonly (number | boolean)[]>> = {
  bool: [true, false],
  u32: [0, 1, 2, 3, 7, 31, 100, 0xff, 0x12345678, 0x80000000, 0xfffffffe, 0xffffffff],
  i32: [0, 1, -1, 2, -3, 17, -100, 0x7fffffff, -0x80000000, 0x1234567],
  f32: [0, 1, -1, 0.5, 2.5, -3.75, 8, 100.25, -0.125],
  f16: [],
}

/** A value of `type`: a leaf where the gene has no arguments. */
export function expression(place: Place, g: ExprGene, type: FuzzType): Loose {
  if (scalarOf(type) === 'f32') return kept(float(place, g, type))
  if (g.args.length === 0) return leaf(place, g, type)
  const lanes = laneCount(type)
  const scalar = scalarOf(type)
  if (scalar === 'bool') return logic(place, g, type)
  const choices = lanes === 1 ? INTEGER.length + SCALAR.length : INTEGER.length
  const pick = g.pick % choices
  const build = pick < INTEGER.length ? INTEGER[pick] : SCALAR[pick - INTEGER.length]
  return (build as Build)(place, g, type)
}

type Build = (place: Place, g: ExprGene, type: FuzzType) => Loose

const both =
  (method: string): Build =>
  (p, g, type) =>
    call(expression(p, arg(g, 0), type), method, expression(p, arg(g, 1), type))
const builtin =
  (name: string, n: number): Build =>
  (p, g, type) =>
    functions[name]!(...Array.from({ length: n }, (_, i) => expression(p, arg(g, i), type)))
/** The divisor is no constant, so it may be 0. */
const quotient =
  (method: string): Build =>
  (p, g, type) =>
    call(expression(p, arg(g, 0), type), method, hidden(p, expression(p, arg(g, 1), type), type))

/** The same value, which is no constant. */
function hidden(p: Place, x: Loose, type: FuzzType): Loose {
  const zero = scalarOf(type) === 'u32' ? p.zero() : loose(i32(p.zero() as never))
  return call(x, 'bitXor', laneCount(type) === 1 ? zero : token(type)(zero))
}

const unsigned = (type: FuzzType): FuzzType => vectorName('u32', laneCount(type)) as FuzzType

/** Of integers, lane by lane. Divisors may be 0: then the result is fixed, too. */
const INTEGER: readonly Build[] = [
  both('add'),
  both('sub'),
  both('mul'),
  both('bitAnd'),
  both('bitOr'),
  both('bitXor'),
  quotient('div'),
  quotient('rem'),
  builtin('min', 2),
  builtin('max', 2),
  builtin('abs', 1),
  builtin('countOneBits', 1),
  builtin('reverseBits', 1),
  builtin('firstLeadingBit', 1),
  (p, g, type) => call(expression(p, arg(g, 0), type), 'bitNot'),
  (p, g, type) => call(expression(p, arg(g, 0), type), 'shl', shiftAmount(p, g, type)),
  (p, g, type) => call(expression(p, arg(g, 0), type), 'shr', shiftAmount(p, g, type)),
  (p, g, type) =>
    functions.select!(expression(p, arg(g, 0), type), expression(p, arg(g, 1), type), expression(p, arg(g, 2), 'bool')),
  (p, g, type) =>
    functions.extractBits!(expression(p, arg(g, 0), type), u32(g.leaf % 32), u32((g.leaf >> 5) % (33 - (g.leaf % 32)))),
  (p, g, type) =>
    functions.insertBits!(
      // lavapipe's LLVM 15 takes the larger of a masked merge and its own base for the base: see the parity case "insertBits"
      hidden(p, expression(p, arg(g, 0), type), type),
      expression(p, arg(g, 1), type),
      u32(g.leaf % 32),
      u32((g.leaf >> 5) % (33 - (g.leaf % 32))),
    ),
  (p, g, type) => converted(p, g, type),
]

const shiftAmount = (p: Place, g: ExprGene, type: FuzzType): Loose =>
  TYPES.includes(unsigned(type))
    ? hidden(p, expression(p, arg(g, 1), unsigned(type)), unsigned(type))
    : token(vectorName('u32', laneCount(type)))(g.leaf % 32)

/** From the other integer type, or of the scalar from a bool or a float. */
function converted(p: Place, g: ExprGene, type: FuzzType): Loose {
  if (laneCount(type) > 1)
    return token(type)(
      ...Array.from({ length: laneCount(type) }, (_, i) => expression(p, arg(g, i), scalarOf(type) as FuzzType)),
    )
  const from = (['u32', 'i32', 'bool', 'f32'] as const)[g.leaf % 4] as FuzzType
  return token(type)(expression(p, arg(g, 0), from))
}

/** Of integer scalars only. */
const SCALAR: readonly Build[] = [
  (p, g, type) => loose(call(expression(p, arg(g, 0), type === 'u32' ? 'vec3u' : 'vec3i'), 'at', g.leaf % 3)),
  (p, g, type) =>
    type === 'u32'
      ? functions.dot!(expression(p, arg(g, 0), 'vec2u'), expression(p, arg(g, 1), 'vec2u'))
      : functions.dot!(expression(p, arg(g, 0), 'vec3i'), expression(p, arg(g, 1), 'vec3i')),
  (p, g, type) => arrayElement(p, g, type),
  (p, g, type) =>
    loose(
      p.k.when(expression(p, arg(g, 0), 'bool') as never, () => expression(p, arg(g, 1), type) as never, (() =>
        expression(p, arg(g, 2), type)) as never),
    ),
  (p, g, type) => functionCall(p, g, type),
]

function arrayElement(p: Place, g: ExprGene, type: FuzzType): Loose {
  const arrays = p.arrays.filter((a) => a.type === type)
  const array = arrays[g.leaf % Math.max(1, arrays.length)]
  if (!array) return expression(p, arg(g, 0), type)
  return loose(array.ref.at(index(p, arg(g, 0), 4)))
}

/** In range by construction. */
export const index = (p: Place, g: ExprGene, count: number): Loose => call(expression(p, g, 'u32'), 'rem', count)

function functionCall(p: Place, g: ExprGene, type: FuzzType): Loose {
  const f = p.functions[g.leaf % Math.max(1, p.functions.length)]
  if (!f) return expression(p, arg(g, 0), type)
  const result = f(p.k, expression(p, arg(g, 0), 'u32'))
  return type === 'u32' ? result : loose(i32(result as never))
}

const COMPARE = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const

function logic(p: Place, g: ExprGene, type: FuzzType): Loose {
  const n = laneCount(type)
  const pick = g.pick % 9
  if (pick < 6) {
    const of = (
      n === 1 ? (['u32', 'i32', 'f32'] as const)[g.leaf % 3] : (['vec2u', 'vec2f'] as const)[g.leaf % 2]
    ) as FuzzType
    return call(expression(p, arg(g, 0), of), COMPARE[pick] as string, expression(p, arg(g, 1), of))
  }
  if (pick === 6) return call(expression(p, arg(g, 0), type), 'not')
  if (n === 1 && pick === 8) return functions[g.leaf % 2 ? 'all' : 'any']!(expression(p, arg(g, 0), 'vec2<bool>'))
  return call(expression(p, arg(g, 0), type), pick === 7 ? 'and' : 'or', expression(p, arg(g, 1), type))
}

function leaf(p: Place, g: ExprGene, type: FuzzType): Loose {
  const known = p.names.filter((n) => n.type === type)
  const inputs = (p.memory?.inputs ?? []).filter((i) => i.type === type)
  const choice = g.leaf % (known.length + inputs.length + 2)
  const name = known[choice]
  if (name) return name.read()
  const input = inputs[choice - known.length]
  if (input && p.memory) return loose(input.ref.at(call(p.memory.globalIndex, 'rem', input.length)))
  const scalar = scalarOf(type)
  const literals = LITERALS[scalar]
  const at = (i: number): number | boolean => literals[(g.leaf + g.pick + i) % literals.length] as number
  return loose(token(type)(...Array.from({ length: laneCount(type) }, (_, i) => at(i))))
}

// Floats.

const lit = (x: Loose): Bounded => ({ value: x, ...KEPT })

/** With what is known of its size; no rounding can differ, since engines round sums and products correctly. */
function float(p: Place, g: ExprGene, type: FuzzType): Bounded {
  if (g.args.length === 0) return lit(leaf(p, g, type))
  const operand = (i: number): Bounded => float(p, arg(g, i), type)
  switch (g.pick % 8) {
    case 0:
    case 1: {
      const [a, b] = [operand(0), operand(1)]
      return limited(
        call(a.value, g.pick % 2 ? 'sub' : 'add', b.value),
        a.most + b.most,
        Math.max(a.fraction, b.fraction),
      )
    }
    case 2:
    case 3: {
      const [a, b] = [operand(0), operand(1)]
      return limited(call(a.value, 'mul', b.value), a.most * b.most, a.fraction + b.fraction)
    }
    case 4: {
      const a = operand(0)
      return { ...a, value: call(a.value, 'neg') }
    }
    case 5: {
      const [a, b] = [operand(0), operand(1)]
      return {
        value: functions.select!(a.value, b.value, expression(p, arg(g, 2), 'bool')),
        most: Math.max(a.most, b.most),
        fraction: Math.max(a.fraction, b.fraction),
      }
    }
    case 6: {
      const a = operand(0)
      return { value: functions[g.leaf % 2 ? 'floor' : 'ceil']!(a.value), most: a.most + 1, fraction: 0 }
    }
    default:
      return fromOthers(p, g, type)
  }
}

/** An exact conversion of an integer below 2^12, or lanes put together. */
function fromOthers(p: Place, g: ExprGene, type: FuzzType): Bounded {
  const n = laneCount(type)
  if (n > 1) return lit(loose(token(type)(...Array.from({ length: n }, (_, i) => kept(float(p, arg(g, i), 'f32'))))))
  if (g.leaf % 3 === 0) return lit(loose(call(expression(p, arg(g, 0), 'vec4f'), 'at', g.leaf % 4)))
  return lit(loose(f32(call(expression(p, arg(g, 0), g.leaf % 2 ? 'u32' : 'i32'), 'rem', 4096) as never)))
}

/** Brings a float back to what is kept, by exact operations, before it could leave the range. */
function limited(value: Loose, most: number, fraction: number): Bounded {
  if (most <= 2 ** 60 && fraction <= 60) return { value, most, fraction }
  return { value: functions.floor!(clamp(value)), most: KEPT.most, fraction: 0 }
}

const clamp = (value: Loose): Loose => functions.clamp!(value, -KEPT.most, KEPT.most)

function kept(b: Bounded): Loose {
  if (b.most <= KEPT.most && b.fraction <= KEPT.fraction) return b.value
  const inRange = b.most <= KEPT.most ? b.value : clamp(b.value)
  return b.fraction <= KEPT.fraction ? inRange : functions.floor!(inRange)
}
