import { type Expr, factsOf, type Op, scalarOf, type ValueName, vectorName } from '@weft/dsl/ir'
import type { Profile } from '../../profiles/profiles'
import { convertTo, lanesOf, opOf, splatConst, uniformLane } from '../nodes'
import { PACKED } from '../special'

/** Ops that a compiler lacks or computes wrong, and those for which there is a rule of our own. */
export function lowerOp(e: Expr, profile: Profile): Expr {
  if (e.kind === 'bitcast') return profile.native.has('f16') ? e : lowerBitcast(e)
  if (e.kind !== 'op') return e
  switch (e.op) {
    case 'tanh':
      return clampTanh(e)
    case 'pow':
      return lowerPow(e)
    case 'frexpFract':
    case 'frexpExp':
      return profile.native.has('f16') ? e : lowerFrexp(e)
    default:
      return PACKED.has(e.op) && !profile.native.has('packed-dot') ? lowerPacked(e) : e
  }
}

/** tanh is ±1 from 10 on, and engines that divide exponentials give NaN from 45 on: clamped, it is right everywhere. */
const TANH_LIMIT = 15

function clampTanh(e: Op): Expr {
  const [x] = e.args as [Expr]
  const type = x.type as ValueName
  if (x.kind === 'op' && x.op === 'clamp' && uniformLane(x.args[2] as Expr) === TANH_LIMIT) return e
  if (x.kind === 'const' && x.lanes.every((lane) => !(Math.abs(lane) > TANH_LIMIT))) return e
  return opOf(e.at, 'tanh', opOf(e.at, 'clamp', x, splatConst(type, -TANH_LIMIT), splatConst(type, TANH_LIMIT)))
}

/** naga has no frexp of f16. By way of f32 it is the same: every f16 is an f32, and its significand an f16. */
function lowerFrexp(e: Op): Expr {
  const [x] = e.args as [Expr]
  const { scalar, rows } = factsOf(x.type as ValueName)
  if (scalar !== 'f16' || e.op === 'product') return e
  return convertTo(e.at, e.type, opOf(e.at, e.op, convertTo(e.at, vectorName('f32', rows), x)))
}

/** Integer powers by multiplication: `pow` is undefined below 0, and takes a logarithm and an exponential. */
const GREATEST_POWER = 16

function lowerPow(e: Op): Expr {
  const [x, y] = e.args as [Expr, Expr]
  const n = uniformLane(y)
  if (n === null || !Number.isInteger(n) || Math.abs(n) > GREATEST_POWER) return e
  if (n === 0) return splatConst(e.type, 1)
  const powers = new Map<number, Expr>([[1, x]])
  const power = (k: number): Expr => {
    const known = powers.get(k)
    if (known) return known
    const half = Math.floor(k / 2)
    const made = opOf(e.at, 'mul', power(k - half), power(half))
    powers.set(k, made)
    return made
  }
  return n > 0 ? power(n) : opOf(e.at, 'div', splatConst(e.type, 1), power(-n))
}

/**
 * naga takes bitcasts of f16 vectors and computes them as if they were f32: through the packing functions, which need no
 * feature.
 */
function lowerBitcast(e: Extract<Expr, { kind: 'bitcast' }>): Expr {
  const from = e.arg.type as ValueName
  const toHalf = scalarOf(e.type) === 'f16'
  if (toHalf === (scalarOf(from) === 'f16')) return e
  const { at } = e
  const words = (toHalf ? factsOf(from).rows : factsOf(e.type).rows) as 1 | 2
  const wordType = vectorName('u32', words)
  const construct = (type: ValueName, args: readonly Expr[]): Expr => ({ kind: 'construct', at, type, args })
  if (toHalf) {
    const bits: Expr = from === wordType ? e.arg : { kind: 'bitcast', at, type: wordType, arg: e.arg }
    const half = (word: Expr): Expr => convertTo(at, 'vec2h', opOf(at, 'unpack2x16float', word))
    return words === 1 ? half(bits) : construct('vec4h', [half(lanesOf(at, bits, [0])), half(lanesOf(at, bits, [1]))])
  }
  const pack = (half: Expr): Expr => opOf(at, 'pack2x16float', convertTo(at, 'vec2f', half))
  const bits =
    words === 1 ? pack(e.arg) : construct('vec2u', [pack(lanesOf(at, e.arg, [0, 1])), pack(lanesOf(at, e.arg, [2, 3]))])
  return e.type === wordType ? bits : { kind: 'bitcast', at, type: e.type, arg: bits }
}

/** Packed integers without the language feature: bytes by shifts. */
function lowerPacked(e: Op): Expr {
  const { at } = e
  const v = (type: ValueName, ...args: readonly Expr[]): Expr => ({ kind: 'construct', at, type, args })
  const shifts: Expr = { kind: 'const', type: 'vec4u', lanes: [0, 8, 16, 24] }
  const unsigned = (x: Expr): Expr =>
    opOf(at, 'bitAnd', opOf(at, 'shr', v('vec4u', x), shifts), splatConst('vec4u', 255))
  /** Each byte to the top, then down again with its sign. */
  const signed = (x: Expr): Expr => {
    const up: Expr = { kind: 'const', type: 'vec4u', lanes: [24, 16, 8, 0] }
    const word: Expr = { kind: 'bitcast', at, type: 'i32', arg: x }
    return opOf(at, 'shr', opOf(at, 'shl', v('vec4i', word), up), splatConst('vec4u', 24))
  }
  const pack = (x: Expr): Expr => {
    const bytes = opOf(at, 'shl', opOf(at, 'bitAnd', x, splatConst('vec4u', 255)), shifts)
    const or = (a: Expr, b: Expr): Expr => opOf(at, 'bitOr', a, b)
    const lane = (i: number): Expr => lanesOf(at, bytes, [i])
    return or(or(or(lane(0), lane(1)), lane(2)), lane(3))
  }
  const bitsOf = (x: Expr): Expr => ({ kind: 'bitcast', at, type: 'vec4u', arg: x })
  const [x, y] = e.args as [Expr, Expr]
  switch (e.op) {
    case 'dot4U8Packed':
      return opOf(at, 'dot', unsigned(x), unsigned(y))
    case 'dot4I8Packed':
      return opOf(at, 'dot', signed(x), signed(y))
    case 'unpack4xU8':
      return unsigned(x)
    case 'unpack4xI8':
      return signed(x)
    case 'pack4xU8':
      return pack(x)
    case 'pack4xI8':
      return pack(bitsOf(x))
    case 'pack4xU8Clamp':
      return pack(opOf(at, 'min', x, splatConst('vec4u', 255)))
    case 'pack4xI8Clamp':
      return pack(bitsOf(opOf(at, 'clamp', x, splatConst('vec4i', -128), splatConst('vec4i', 127))))
    default:
      return e
  }
}
