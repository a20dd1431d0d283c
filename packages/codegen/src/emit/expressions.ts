import {
  type Call,
  type Const,
  type Expr,
  factsOf,
  isPlace,
  isValueName,
  isVector,
  type Op,
  type Place,
  PURE,
  type Root,
  type Row,
  type ScalarName,
  type Swizzle,
  type Type,
} from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import { uniformLane } from '../passes/nodes'
import type { Callee, Context } from './context'
import { literal, SPECIAL, specialOf } from './literals'
import { INFIX, type Infix, RANK, type Rank } from './operators'

/** The text of an expression; `c.rank` then says what parentheses it needs. */
export function print(e: Expr, c: Context): string {
  if (e.kind === 'const') return constant(e, c)
  const value = c.values[numberOf(e)]
  if (value !== undefined) {
    if (value.name !== '') return primary(c, value.name)
    if (!value.inline) c.missing = true
  }
  switch (e.kind) {
    case 'builtin':
      return primary(c, c.builtins.get(e.name) as string)
    case 'param':
      return primary(c, `${c.module.params.name}.${c.module.member(e.name)}`)
    case 'override':
    case 'constant':
      return primary(c, c.module.declared.get(e.name)?.name as string)
    case 'argument':
      return primary(c, c.args.get(e.name)?.name as string)
    case 'result':
      return result(e.id, c)
    case 'op':
      return printOp(e, c)
    case 'construct':
      return call(c.module.type(e.type), e.args, c)
    case 'convert':
      return call(e.type, [e.arg], c)
    case 'bitcast':
      return call(`bitcast<${e.type}>`, [e.arg], c)
    case 'swizzle':
      return primary(c, `${tight(e.of, c)}.${lanesOf(e)}`)
    case 'index':
      return primary(c, tight(e.of, c) + subscript(e.index, e.of.type, c))
    case 'member':
      return primary(c, `${tight(e.of, c)}.${c.module.member(e.name)}`)
    case 'length':
      return primary(c, `arrayLength(${pointer(e.of, c)})`)
  }
}

const LANES = 'xyzw'

/** The letters of a swizzle. */
export const lanesOf = (e: Swizzle): string =>
  e.lanes.length === 1 ? (LANES[e.lanes[0] as number] as string) : e.lanes.map((i) => LANES[i]).join('')

/** Sets the rank after the parts were printed. */
function primary(c: Context, text: string): string {
  c.rank = RANK.primary
  return text
}

/** As something that `.` or `[` may follow. */
function tight(e: Expr, c: Context): string {
  const text = print(e, c)
  return c.rank === RANK.primary ? text : `(${text})`
}

/** What a statement gave: its name, or what it does, if that is written here. */
function result(id: number, c: Context): string {
  const value = c.results[id]
  const stmt = value?.inline ? value.site?.stmt : null
  if (stmt?.kind === 'load') return printPlace(stmt.place, c)
  if (stmt?.kind === 'call') return printCall(stmt, c)
  if (!value?.name) c.missing = true
  return primary(c, value?.name ?? '')
}

export const printCall = (s: Call, c: Context): string =>
  call((c.module.functions.get(s.func) as Callee).name, s.args, c)

const call = (name: string, args: Call['args'], c: Context): string => primary(c, `${name}(${list(args, c)})`)

/** Arguments. Two that hold `<` or `>` could be read as a template list, so those get parentheses. */
export function list(args: Call['args'], c: Context): string {
  let text = ''
  let angled = 0
  for (let i = 0; i < args.length; i++) {
    const arg = argument(args[i] as Expr | Place, c)
    if (mayHoldAngle(c.rank)) angled++
    text += i === 0 ? arg : `, ${arg}`
  }
  if (angled < 2) return text
  const inParentheses = (a: Expr | Place): string => {
    const arg = argument(a, c)
    return mayHoldAngle(c.rank) ? `(${arg})` : arg
  }
  return args.map(inParentheses).join(', ')
}

const argument = (a: Expr | Place, c: Context): string => (isPlace(a) ? pointer(a, c) : print(a, c))
const mayHoldAngle = (rank: Rank): boolean => rank >= RANK.shift && rank <= RANK.or

// Constants.

function constant(e: Const, c: Context): string {
  const { lanes, type } = e
  const { scalar, rows, cols } = factsOf(type)
  const first = lanes[0] as number
  if (rows * cols === 1) return scalarConstant(scalar, first, c)
  const same = uniformLane(e) !== null
  if (same && Object.is(first, 0)) return primary(c, `${type}()`)
  const written = same && cols === 1 ? [first] : lanes
  return primary(c, `${type}(${written.map((x) => scalarConstant(scalar, x, c)).join(', ')})`)
}

function scalarConstant(scalar: ScalarName, x: number, c: Context): string {
  const special = specialOf(x)
  if (special) {
    const bits = `bitcast<f32>(${c.specials.get(special) ?? SPECIAL[special].name})`
    return primary(c, scalar === 'f16' ? `f16(${bits})` : bits)
  }
  const text = literal(scalar, x)
  c.rank = text.startsWith('-') ? RANK.unary : RANK.primary
  return text
}

// Operators.

function printOp(e: Op, c: Context): string {
  const [a, b] = e.args as [Expr, Expr]
  if (e.op === 'product') return infix('*', a, b, c)
  const row: Row = PURE[e.op]
  if (row.form === 'call') {
    const text = call(row.wgsl, e.args, c)
    return row.member ? `${text}.${row.member}` : text
  }
  if (row.form === 'infix') {
    if (!(INFIX[row.wgsl] as Infix).mixes) return infix(row.wgsl, a, b, c)
    const x = splatted(a, c)
    return infix(row.wgsl, x ?? a, x ? b : (splatted(b, c) ?? b), c)
  }
  const operand = print(a, c)
  // two signs in a row are one token in other languages, and naga rejects them
  const text = c.rank > RANK.unary || operand.startsWith('-') ? `(${operand})` : operand
  c.rank = RANK.unary
  return row.wgsl + text
}

export function infix(operator: string, a: Expr, b: Expr, c: Context): string {
  const { rank, left, right, chains } = INFIX[operator] as Infix
  let x = print(a, c)
  if (c.rank > left && !(chains && c.rank === rank)) x = `(${x})`
  let y = print(b, c)
  if (c.rank > right || y.startsWith('-')) y = `(${y})`
  c.rank = rank
  return `${x} ${operator} ${y}`
}

/** The scalar that all lanes of a vector are, if it is written as such. */
export function splatted(e: Expr, c: Context): Expr | null {
  if (e.kind === 'construct') {
    const [scalar] = e.args
    const splat = e.args.length === 1 && isVectorType(e.type) && isValueName(scalar?.type)
    return splat && !c.values[numberOf(e)]?.name ? (scalar as Expr) : null
  }
  if (e.kind !== 'const' || !isVectorType(e.type) || uniformLane(e) === null) return null
  return { kind: 'const', type: factsOf(e.type).scalar, lanes: e.lanes.slice(0, 1) }
}

const isVectorType = (type: Type): boolean => isValueName(type) && isVector(type)

// Places.

/** A place as something to read or to assign to. */
export function printPlace(place: Place, c: Context): string {
  const { root, steps } = place
  const found = c.declared(root)
  if (found.name === '') c.missing = true
  const whole = root.kind === 'pointer' ? `*${found.name}` : root.kind === 'view' ? `*${view(root, c)}` : found.name
  if (steps.length === 0) {
    c.rank = root.kind === 'pointer' ? RANK.unary : RANK.primary
    return whole
  }
  let text = root.kind === 'pointer' || root.kind === 'view' ? `(${whole})` : whole
  let { type } = root.kind === 'view' ? root : found
  for (const step of steps) {
    text += step.kind === 'member' ? `.${c.module.member(step.name)}` : subscript(step.index, type, c)
    type = step.type
  }
  return primary(c, text)
}

const view = (root: Extract<Root, { kind: 'view' }>, c: Context): string =>
  `bufferView<${c.module.type(root.type)}>(&${c.declared(root).name}, ${print(root.offset, c)})`

/** `[i]`; a constant needs no suffix there, and of a vector it is the name of a lane. */
function subscript(index: Expr, of: Type, c: Context): string {
  if (index.kind !== 'const') return `[${print(index, c)}]`
  const n = index.lanes[0] as number
  return typeof of === 'string' && factsOf(of).cols === 1 && n >= 0 && n < 4 ? `.${LANES[n]}` : `[${n}]`
}

/** `&place`, or the pointer itself. */
export function pointer(place: Place, c: Context): string {
  const { root, steps } = place
  if (steps.length === 0 && root.kind === 'pointer') return primary(c, c.declared(root).name)
  if (steps.length === 0 && root.kind === 'view') return primary(c, view(root, c))
  return `&${printPlace(place, c)}`
}
