import { type Bitcast, type Expr, factsOf, type Op, scalarOf, type ValueName, vectorName } from '@weft/dsl/ir'
import type { Profile } from '../../profiles/profiles'
import { bitcastTo, convertTo, lanesOf, opOf, splatConst, uniformLane } from '../nodes'
import { lowerPacked, PACKED } from './packed'

/** Ops that a compiler lacks or computes wrong, and those for which there is a rule of our own. */
export function lowerOp(e: Expr, { native }: Profile): Expr {
  if (e.kind === 'bitcast') return native.has('f16') ? e : lowerBitcast(e)
  if (e.kind !== 'op') return e
  switch (e.op) {
    case 'tanh':
      return clampTanh(e)
    case 'pow':
      return lowerPow(e)
    case 'frexpFract':
    case 'frexpExp':
      return native.has('f16') ? e : lowerFrexp(e)
    default:
      return PACKED.has(e.op) && !native.has('packed-dot') ? lowerPacked(e) : e
  }
}

/** tanh is ±1 from 10 on, and engines that divide exponentials give NaN from 45 on: clamped, it is right everywhere. */
const TANH_LIMIT = 15

function clampTanh(e: Op): Expr {
  const [x] = e.args as [Expr]
  if (x.kind === 'op' && x.op === 'clamp' && uniformLane(x.args[2] as Expr) === TANH_LIMIT) return e
  if (x.kind === 'const' && x.lanes.every((lane) => !(Math.abs(lane) > TANH_LIMIT))) return e
  return opOf(e.at, 'tanh', opOf(e.at, 'clamp', x, -TANH_LIMIT, TANH_LIMIT))
}

/** naga has no frexp of f16. By way of f32 it is the same: every f16 is an f32, and its significand an f16. */
function lowerFrexp(e: Op): Expr {
  const [x] = e.args as [Expr]
  const { scalar, rows } = factsOf(x.type as ValueName)
  return scalar === 'f16'
    ? convertTo(e.at, e.type, opOf(e.at, e.op as 'frexpExp', convertTo(e.at, vectorName('f32', rows), x)))
    : e
}

/** Integer powers by multiplication: `pow` is undefined below 0, and takes a logarithm and an exponential. */
const GREATEST_POWER = 16

function lowerPow(e: Op): Expr {
  const [x, y] = e.args as [Expr, Expr]
  const n = uniformLane(y)
  if (n === null || !Number.isInteger(n) || Math.abs(n) > GREATEST_POWER) return e
  if (n === 0) return splatConst(e.type, 1)
  const powers: Expr[] = [x, x]
  const power = (k: number): Expr =>
    (powers[k] ??= opOf(e.at, 'mul', power(Math.ceil(k / 2)), power(Math.floor(k / 2))))
  return n > 0 ? power(n) : opOf(e.at, 'div', 1, power(-n))
}

/**
 * naga takes bitcasts of f16 vectors and computes them as if they were f32: through the packing functions, which need no
 * feature.
 */
function lowerBitcast(e: Bitcast): Expr {
  const { at, type, arg } = e
  const toHalf = scalarOf(type) === 'f16'
  if (toHalf === (scalarOf(arg.type as ValueName) === 'f16')) return e
  const words = factsOf(toHalf ? (arg.type as ValueName) : type).rows
  const bits = vectorName('u32', words)
  const split = (of: Expr, lanes: (word: number) => readonly number[]): readonly Expr[] =>
    words === 1 ? [of] : [0, 1].map((i) => lanesOf(at, of, lanes(i)))
  const join = (to: ValueName, args: readonly Expr[]): Expr =>
    words === 1 ? (args[0] as Expr) : { kind: 'construct', at, type: to, args }
  if (toHalf) {
    const half = (word: Expr): Expr => convertTo(at, 'vec2h', opOf(at, 'unpack2x16float', word))
    return join('vec4h', split(bitcastTo(at, bits, arg), (i) => [i]).map(half))
  }
  const pack = (half: Expr): Expr => opOf(at, 'pack2x16float', convertTo(at, 'vec2f', half))
  const halves = split(arg, (i) => [2 * i, 2 * i + 1])
  return bitcastTo(at, type, join(bits, halves.map(pack)))
}
