import {
  evalFor,
  factsOf,
  isMatrix,
  isScalar,
  type Op,
  PURE,
  type Row,
  type ScalarName,
  scalarOf,
  type ValueName,
} from '@weft/dsl/ir'
import { type Frame, isAtom } from './frame'
import { HALVES, halfBits, roundHalf } from './half'

/**
 * Ops as JavaScript. Every op can be evaluated by its row; those that kernels spend their time in are written out
 * here, with the same results: the tests compare each of them with its row.
 */

type Lanes = readonly string[]

/** `code` brought into the scalar type: floats are rounded to nearest even, integers wrap. */
export function rounded(frame: Frame, scalar: ScalarName, code: string): string {
  switch (scalar) {
    case 'f32':
      return `${frame.use(frame.program.declare('fround', 'Math.fround'))}(${code})`
    case 'f16':
      return `${frame.program.helper('roundHalf', roundHalf)}(${code})`
    case 'i32':
      return `(${code} | 0)`
    case 'u32':
      return `(${code} >>> 0)`
    case 'bool':
      return `(${code} ? true : false)`
  }
}

type Inline = (a: string, b: string, c: string) => string
/** Without a wrapping of its own (`raw`), the code is rounded or wrapped to the result's type. */
interface Form {
  readonly raw?: boolean
  readonly twice?: boolean
  readonly code: Inline
}
type Forms = { readonly [K in 'float' | 'i32' | 'u32' | 'bool']?: Form }

const wrap = (code: Inline): Form => ({ code })
const raw = (code: Inline): Form => ({ code, raw: true })
/** For code that mentions an operand more than once. */
const twice = (code: Inline): Form => ({ code, raw: true, twice: true })
const numeric = (form: Form): Forms => ({ float: form, i32: form, u32: form })
const all = (form: Form): Forms => ({ ...numeric(form), bool: form })
const float = (form: Form): Forms => ({ float: form })
const int = (form: Form): Forms => ({ i32: form, u32: form })
const math = (name: string): Forms => float(wrap((a) => `Math.${name}(${a})`))
const compare = (operator: string): Forms => all(raw((a, b) => `(${a} ${operator} ${b})`))

const INLINE: Readonly<Record<string, Forms>> = {
  neg: { float: raw((a) => `(-${a})`), i32: wrap((a) => `-${a}`) },
  not: { bool: raw((a) => `(!${a})`) },
  bitNot: int(wrap((a) => `~${a}`)),
  add: numeric(wrap((a, b) => `${a} + ${b}`)),
  sub: numeric(wrap((a, b) => `${a} - ${b}`)),
  mul: {
    float: wrap((a, b) => `${a} * ${b}`),
    i32: raw((a, b) => `Math.imul(${a}, ${b})`),
    u32: wrap((a, b) => `Math.imul(${a}, ${b})`),
  },
  div: {
    float: wrap((a, b) => `${a} / ${b}`),
    i32: twice((a, b) => divide(a, b, '| 0')),
    u32: twice((a, b) => divide(a, b, '>>> 0')),
  },
  rem: {
    float: wrap((a, b) => `${a} % ${b}`),
    i32: twice((a, b) => remainder(a, b, '| 0')),
    u32: twice((a, b) => remainder(a, b, '>>> 0')),
  },
  bitAnd: int(wrap((a, b) => `(${a} & ${b})`)),
  bitOr: int(wrap((a, b) => `(${a} | ${b})`)),
  bitXor: int(wrap((a, b) => `(${a} ^ ${b})`)),
  shl: int(wrap((a, b) => `(${a} << ${b})`)),
  shr: { i32: raw((a, b) => `(${a} >> ${b})`), u32: raw((a, b) => `(${a} >>> ${b})`) },
  eq: compare('==='),
  ne: compare('!=='),
  lt: compare('<'),
  le: compare('<='),
  gt: compare('>'),
  ge: compare('>='),
  and: { bool: raw((a, b) => `(${a} && ${b})`) },
  or: { bool: raw((a, b) => `(${a} || ${b})`) },
  boolAnd: { bool: raw((a, b) => `(${a} && ${b})`) },
  boolOr: { bool: raw((a, b) => `(${a} || ${b})`) },
  select: all(raw((a, b, c) => `(${c} ? ${b} : ${a})`)),
  abs: { float: raw((a) => `Math.abs(${a})`), i32: wrap((a) => `Math.abs(${a})`), u32: raw((a) => a) },
  min: numeric(twice((a, b) => `(${b} < ${a} ? ${b} : ${a})`)),
  max: numeric(twice((a, b) => `(${a} < ${b} ? ${b} : ${a})`)),
  clamp: numeric(twice((x, low, high) => `(${x} < ${low} ? ${low} : ${x} > ${high} ? ${high} : ${x})`)),
  ceil: math('ceil'),
  floor: math('floor'),
  trunc: math('trunc'),
  fract: float({ code: (a) => `${a} - Math.floor(${a})`, twice: true }),
  sqrt: math('sqrt'),
  inverseSqrt: float(wrap((a) => `1 / Math.sqrt(${a})`)),
  exp: math('exp'),
  exp2: float(wrap((a) => `2 ** ${a}`)),
  log: math('log'),
  log2: math('log2'),
  sin: math('sin'),
  cos: math('cos'),
  tanh: math('tanh'),
  countLeadingZeros: int(raw((a) => `Math.clz32(${a})`)),
}

const isNonZero = (code: string): boolean => /^\(?-?\d+\)?$/.test(code) && !/^\(?-?0+\)?$/.test(code)
const divide = (a: string, b: string, cast: string): string =>
  isNonZero(b) ? `((${a} / ${b}) ${cast})` : `(${b} === 0 ? ${a} : (${a} / ${b}) ${cast})`
const remainder = (a: string, b: string, cast: string): string =>
  isNonZero(b) ? `((${a} % ${b}) ${cast})` : `(${b} === 0 ? 0 : (${a} % ${b}) ${cast})`

const formOf = (op: string, scalar: ScalarName): Form | undefined =>
  INLINE[op]?.[scalar === 'f32' || scalar === 'f16' ? 'float' : scalar]

const TABLE: Readonly<Record<string, Row>> = PURE

/** The lanes of an op, given those of its arguments. */
export function opLanes(frame: Frame, e: Op, args: readonly Lanes[]): Lanes {
  const types = e.args.map((a) => a.type as ValueName)
  const out = scalarOf(e.type)
  if (e.op === 'product') return product(frame, types, args, out)
  if (e.op === 'fma') return fma(frame, args, out)
  if (e.op === 'dot') return [dot(frame, args, out)]
  if (e.op === 'all' || e.op === 'any') return [`(${(args[0] as Lanes).join(e.op === 'all' ? ' && ' : ' || ')})`]
  const row = TABLE[e.op] as Row
  const scalar = scalarOf(types[row.in.indexOf('T')] ?? 'u32')
  if (row.whole) return whole(frame, e, row, types, args, scalar)
  const count = Math.max(...args.map((a) => a.length))
  const form = formOf(e.op, scalar)
  return Array.from({ length: count }, (_, i) => {
    const lanes = args.map((a) => (a.length === 1 ? a[0] : a[i]) as string)
    return form ? inline(frame, form, lanes, out) : byRow(frame, e.op, row, lanes, scalar, out)
  })
}

function inline(frame: Frame, form: Form, lanes: Lanes, out: ScalarName): string {
  const [a = '', b = '', c = ''] = form.twice ? lanes.map((lane) => frame.atom(lane)) : lanes
  const code = form.code(a, b, c)
  return form.raw ? code : rounded(frame, out, code)
}

function byRow(frame: Frame, op: string, row: Row, lanes: Lanes, scalar: ScalarName, out: ScalarName): string {
  const name = frame.program.helper(`${op}_${scalar}`, evalFor(row, scalar))
  return rounded(frame, out, `${name}(${lanes.join(', ')})`)
}

const ROUND: { readonly [S in ScalarName]: (x: number) => number } = {
  bool: (x) => (x ? 1 : 0),
  f16: roundHalf,
  f32: Math.fround,
  i32: (x) => x | 0,
  u32: (x) => x >>> 0,
}

function whole(
  frame: Frame,
  e: Op,
  row: Row,
  types: readonly ValueName[],
  args: readonly Lanes[],
  scalar: ScalarName,
): Lanes {
  const round = ROUND[scalar]
  const rows = types.map((t) => factsOf(t).rows)
  const evaluate = (...lanes: (readonly number[])[]): number[] =>
    (row.whole as NonNullable<Row['whole']>)(round, lanes, rows)
  const name = frame.program.helper(`${e.op}_${types.join('_').replace(/\W/g, '')}`, evaluate)
  const result = frame.atom(`${name}(${args.map((a) => `[${a.join(', ')}]`).join(', ')})`)
  const { rows: r, cols } = factsOf(e.type)
  return Array.from({ length: r * cols }, (_, i) => rounded(frame, scalarOf(e.type), `${result}[${i}]`))
}

const fma = (frame: Frame, [a = [], b = [], c = []]: readonly Lanes[], out: ScalarName): Lanes =>
  a.map((x, i) => rounded(frame, out, `${rounded(frame, out, `${x} * ${b[i]}`)} + ${c[i]}`))

function dot(frame: Frame, [a = [], b = []]: readonly Lanes[], out: ScalarName): string {
  if (out === 'i32' || out === 'u32')
    return rounded(frame, out, a.map((x, i) => `Math.imul(${x}, ${b[i]})`).join(' + '))
  return a
    .map((x, i) => rounded(frame, out, `${x} * ${b[i]}`))
    .reduce((sum, term) => rounded(frame, out, `${sum} + ${term}`), '0')
}

/** A multiplication that involves a matrix: columns of lanes; a vector on the left is a matrix of one row. */
function product(
  frame: Frame,
  types: readonly ValueName[],
  [a = [], b = []]: readonly Lanes[],
  out: ScalarName,
): Lanes {
  const [left, right] = types as [ValueName, ValueName]
  if (isScalar(left) || isScalar(right)) {
    const lane = (x: Lanes, i: number): string => (x.length === 1 ? x[0] : x[i]) as string
    return (isScalar(left) ? b : a).map((_, i) => rounded(frame, out, `${lane(a, i)} * ${lane(b, i)}`))
  }
  const rows = isMatrix(left) ? factsOf(left).rows : 1
  const inner = a.length / rows
  const element = (r: number, c: number): string =>
    Array.from({ length: inner }, (_, k) => rounded(frame, out, `${a[k * rows + r]} * ${b[c * inner + k]}`)).reduce(
      (sum, term) => rounded(frame, out, `${sum} + ${term}`),
    )
  return Array.from({ length: (b.length / inner) * rows }, (_, i) => element(i % rows, Math.floor(i / rows)))
}

/** Whether the lanes of the arguments of `op` are mentioned more than once, so that they must be atoms. */
export const repeatsLanes = (e: Op): boolean => {
  if (e.op === 'product') return true
  const spread = e.args.some((a) => isScalar(a.type as ValueName)) && !isScalar(e.type)
  return spread || e.args.some((a) => isMatrix(a.type as ValueName))
}

/** What generated code refers to for f16. */
export const halves = (frame: Frame): { table: string; bits: string } => ({
  table: frame.program.helper('HALVES', HALVES),
  bits: frame.program.helper('halfBits', halfBits),
})

export const atoms = (frame: Frame, lanes: Lanes): Lanes =>
  lanes.map((lane) => (isAtom(lane) ? lane : frame.atom(lane)))
