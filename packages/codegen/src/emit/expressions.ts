import {
  type Cases,
  type Const,
  type Expr,
  factsOf,
  isValueName,
  type Op,
  type Place,
  PURE,
  type Row,
  type ScalarName,
  type Step,
  type Type,
} from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import { type Context, RANK, type Rank } from './context'
import { literal, SPECIAL, specialOf } from './literals'

/** The text of an expression; `c.rank` then says what parentheses it needs. */
export function print(e: Expr, c: Context): string {
  const name = c.bound[numberOf(e)]
  if (name !== undefined) {
    c.rank = RANK.primary
    return name
  }
  return (CASES[e.kind] as (e: Expr, c: Context) => string)(e, c)
}

const CASES: Cases<Expr, string, [Context]> = {
  const: constant,
  builtin: (e, c) => primary(c, c.builtins.get(e.name) ?? e.name),
  param: (e, c) => primary(c, `${c.module.names.params}.${c.module.names.members(null).get(e.name) ?? e.name}`),
  override: (e, c) => primary(c, c.module.names.globals.get(e.name) ?? e.name),
  constant: (e, c) => primary(c, c.module.names.globals.get(e.name) ?? e.name),
  argument: (e, c) => primary(c, c.args.get(e.name) ?? e.name),
  result(e, c) {
    const load = c.plan.inlined[e.id]
    if (load) return printPlace(load.place, c)
    const call = c.plan.inlinedCalls.get(e.id)
    if (call)
      return primary(
        c,
        `${c.module.names.functions.get(call.func) ?? call.func}(${list(call.args as readonly Expr[], c)})`,
      )
    return primary(c, c.results.get(e.id) ?? `unnamed_${e.id}`)
  },
  op: printOp,
  construct: (e, c) => primary(c, `${c.module.type(e.type)}(${list(e.args, c)})`),
  convert: (e, c) => primary(c, `${e.type}(${alone(e.arg, c)})`),
  bitcast: (e, c) => primary(c, `bitcast<${e.type}>(${alone(e.arg, c)})`),
  swizzle: (e, c) => primary(c, `${tight(e.of, c)}.${e.lanes.map((lane) => LANES[lane]).join('')}`),
  index(e, c) {
    const of = tight(e.of, c)
    return primary(c, of + subscript(e.index, typeof e.of.type === 'string' && factsOf(e.of.type).cols === 1, c))
  },
  member(e, c) {
    const of = tight(e.of, c)
    const struct = typeof e.of.type !== 'string' && e.of.type.kind === 'struct' ? e.of.type.name : ''
    return primary(c, `${of}.${c.module.names.members(struct).get(e.name) ?? e.name}`)
  },
  length: (e, c) => primary(c, `arrayLength(${pointer(e.of, c)})`),
}

const LANES = ['x', 'y', 'z', 'w'] as const

/** Sets the rank after the parts were printed. */
function primary(c: Context, text: string): string {
  c.rank = RANK.primary
  return text
}

const parenthesized = (c: Context, text: string): string => primary(c, `(${text})`)

/** As something that `.`, `[` or a call may follow. */
function tight(e: Expr, c: Context): string {
  const text = print(e, c)
  return c.rank === RANK.primary ? text : parenthesized(c, text)
}

/** Where nothing else is near: the only argument of a call, the right side of an assignment. */
export const alone = (e: Expr, c: Context): string => print(e, c)

/** Arguments. Two that hold `<` or `>` could be read as a template list, so those get parentheses. */
export function list(args: readonly Expr[], c: Context): string {
  if (args.length === 1) return alone(args[0] as Expr, c)
  let angled = 0
  const ranks: Rank[] = []
  const texts = args.map((a) => {
    const text = print(a, c)
    ranks.push(c.rank)
    if (mayHoldAngle(c.rank)) angled++
    return text
  })
  return angled < 2 ? texts.join(', ') : texts.map((t, i) => (mayHoldAngle(ranks[i] as Rank) ? `(${t})` : t)).join(', ')
}

const mayHoldAngle = (rank: Rank): boolean => rank >= RANK.shift && rank <= RANK.or

// Constants.

function constant(e: Const, c: Context): string {
  const { scalar, rows, cols } = factsOf(e.type)
  const [first = 0] = e.lanes
  if (rows * cols === 1) return scalarConstant(scalar, first, c)
  const same = cols === 1 && e.lanes.every((x) => Object.is(x, first))
  if (e.lanes.every((x) => Object.is(x, 0))) return primary(c, `${e.type}()`)
  if (same) return primary(c, `${e.type}(${scalarConstant(scalar, first, c)})`)
  return primary(c, `${e.type}(${e.lanes.map((x) => scalarConstant(scalar, x, c)).join(', ')})`)
}

function scalarConstant(scalar: ScalarName, x: number, c: Context): string {
  const special = scalar === 'f32' || scalar === 'f16' ? specialOf(x) : null
  if (special) {
    const bits = `bitcast<f32>(${c.specials.get(special) ?? SPECIAL[special].name})`
    return primary(c, scalar === 'f16' ? `f16(${bits})` : bits)
  }
  const text = literal(scalar, x)
  c.rank = text.startsWith('-') ? RANK.unary : RANK.primary
  return text
}

// Operators and functions.

interface Infix {
  readonly rank: Rank
  /** Ranks that an operand may have without parentheses, as bits. */
  readonly left: number
  readonly right: number
}

const bits = (...ranks: readonly Rank[]): number => ranks.reduce<number>((set, r) => set | (1 << r), 0)
const UNARY = bits(RANK.primary, RANK.unary)
const MUL = UNARY | bits(RANK.mul)
const ADD = MUL | bits(RANK.add)
const SHIFT = ADD | bits(RANK.shift)
const RELATION = SHIFT | bits(RANK.relation)

const mul: Infix = { rank: RANK.mul, left: MUL, right: UNARY }
const add: Infix = { rank: RANK.add, left: ADD, right: MUL }
const shift: Infix = { rank: RANK.shift, left: UNARY, right: UNARY }
const relation: Infix = { rank: RANK.relation, left: SHIFT, right: SHIFT }
/** `a < b >> c` would be read as a template list, `a<b>`: the shift needs parentheses that the grammar does not ask for. */
const less: Infix = { ...relation, right: ADD }
const chain = (rank: Rank, operand: number): Infix => ({ rank, left: operand | bits(rank), right: operand })

/** WGSL's own table: what it does not list here is an error without parentheses. */
const INFIX: Readonly<Record<string, Infix>> = {
  '*': mul,
  '/': mul,
  '%': mul,
  '+': add,
  '-': add,
  '<<': shift,
  '>>': shift,
  '==': relation,
  '!=': relation,
  '<': less,
  '<=': relation,
  '>': relation,
  '>=': relation,
  '&&': chain(RANK.and, RELATION),
  '||': chain(RANK.or, RELATION),
  '&': chain(RANK.bitAnd, UNARY),
  '|': chain(RANK.bitOr, UNARY),
  '^': chain(RANK.bitXor, UNARY),
}

/** Operators that take a vector and a scalar. */
const MIXED = '+-*/%'

function printOp(e: Op, c: Context): string {
  if (e.op === 'product') return infix('*', e.args[0] as Expr, e.args[1] as Expr, c)
  const row: Row = PURE[e.op]
  switch (row.form) {
    case 'infix': {
      const [a, b] = e.args as [Expr, Expr]
      if (MIXED.includes(row.wgsl) && factsOf(e.type).rows > 1 && factsOf(e.type).cols === 1) {
        const x = splatted(a, c)
        const y = x ? null : splatted(b, c)
        return infix(row.wgsl, x ?? a, y ?? b, c)
      }
      return infix(row.wgsl, a, b, c)
    }
    case 'prefix': {
      const operand = print(e.args[0] as Expr, c)
      // two signs in a row are one token in other languages, and naga rejects them
      const text = c.rank > RANK.unary || operand.startsWith('-') ? `(${operand})` : operand
      c.rank = RANK.unary
      return row.wgsl + text
    }
    case 'call':
      return primary(c, `${row.wgsl}(${list(e.args, c)})${row.member ? `.${row.member}` : ''}`)
  }
}

export function infix(operator: string, a: Expr, b: Expr, c: Context): string {
  const rule = INFIX[operator] as Infix
  const left = print(a, c)
  const x = (rule.left >> c.rank) & 1 ? left : `(${left})`
  const right = print(b, c)
  const y = (rule.right >> c.rank) & 1 && !right.startsWith('-') ? right : `(${right})`
  c.rank = rule.rank
  return `${x} ${operator} ${y}`
}

/** The scalar that all lanes of a vector are, if it is written as such. */
export function splatted(e: Expr, c: Context): Expr | null {
  if (
    !isValueName(e.type) ||
    factsOf(e.type).rows === 1 ||
    factsOf(e.type).cols > 1 ||
    c.bound[numberOf(e)] !== undefined
  )
    return null
  if (e.kind === 'construct' && e.args.length === 1 && isValueName(e.args[0]?.type)) return e.args[0] as Expr
  if (e.kind === 'const' && e.lanes.every((x) => Object.is(x, e.lanes[0]))) {
    return { kind: 'const', type: factsOf(e.type).scalar, lanes: [e.lanes[0] as number] }
  }
  return null
}

// Places.

/** A place as something to read or to assign to. */
export function printPlace(place: Place, c: Context): string {
  const { root } = place
  let text: string
  switch (root.kind) {
    case 'binding':
      text = c.module.names.globals.get(root.name) ?? root.name
      break
    case 'variable':
      text = c.variables.get(root.id) ?? c.module.names.variables.get(root.id) ?? `variable_${root.id}`
      break
    case 'pointer': {
      const name = c.args.get(root.name) ?? root.name
      if (place.steps.length === 0) {
        c.rank = RANK.unary
        return `*${name}`
      }
      text = `(*${name})`
      break
    }
    case 'view':
      text = `(*${view(root, c)})`
      break
  }
  let type = place.steps.length === 0 ? null : c.memory.type(root)
  for (const step of place.steps) {
    text += printStep(step, type, c)
    type = step.type
  }
  return primary(c, text)
}

const view = (root: Extract<Place['root'], { kind: 'view' }>, c: Context): string =>
  `bufferView<${c.module.type(root.type)}>(&${c.module.names.globals.get(root.name) ?? root.name}, ${print(root.offset, c)})`

function printStep(step: Step, of: Type | null, c: Context): string {
  if (step.kind === 'member') {
    const struct = of && typeof of !== 'string' && of.kind === 'struct' ? of.name : ''
    return `.${c.module.names.members(struct).get(step.name) ?? step.name}`
  }
  return subscript(step.index, of !== null && typeof of === 'string' && factsOf(of).cols === 1, c)
}

/** `[i]`; a constant needs no suffix there, and of a vector it is the name of a lane. */
function subscript(index: Expr, vector: boolean, c: Context): string {
  if (index.kind === 'const' && c.bound[numberOf(index)] === undefined) {
    const n = index.lanes[0] as number
    return vector && n >= 0 && n < 4 ? `.${LANES[n]}` : `[${n}]`
  }
  return `[${print(index, c)}]`
}

/** `&place`, or the pointer itself. */
export function pointer(place: Place, c: Context): string {
  const { root } = place
  if (place.steps.length === 0) {
    if (root.kind === 'pointer') return primary(c, c.args.get(root.name) ?? root.name)
    if (root.kind === 'view') return primary(c, view(root, c))
  }
  return `&${printPlace(place, c)}`
}
