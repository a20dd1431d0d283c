import type { Cases, Expr, Func, Of } from '../../ir'
import { BUILTINS, canBitcast, PURE, type PureName, productType, ROUND, type Row, resolve, slotType } from '../../ops'
import {
  factsOf,
  isConstructible,
  isMatrix,
  isScalar,
  isValue,
  isVector,
  laneCount,
  type StructType,
  sameType,
  scalarOf,
  spell,
  type Type,
  type ValueName,
  vectorName,
  withScalar,
} from '../../types'
import type { Context } from '../context'
import { Places } from './places'
import type { Scopes } from './scopes'

/**
 * Expressions: that each node has the type that its operands give it, and that every result it mentions is in
 * scope. A node is looked at once; for later uses the innermost scope that it needs is remembered.
 */
export class Expressions {
  private readonly seen = new Map<Expr, number>()
  readonly places: Places
  /** The function whose body is checked, and the scope of its arguments. */
  func: Func | null = null
  funcScope = 0

  /** Functions may share nodes: the arguments in them are those of either. */
  enter(func: Func | null): void {
    this.func = func
    this.funcScope = this.scopes.current
    this.seen.clear()
  }

  constructor(
    readonly context: Context,
    readonly scopes: Scopes,
  ) {
    this.places = new Places(this)
  }

  /** Two functions may share a node: an argument of the same name is another one in each. */
  begin(func: Func | null): void {
    this.func = func
    this.seen.clear()
  }

  /** Checks `e` as used by the statement at `at`; gives the innermost scope that it needs. */
  check(e: Expr, at: number): number {
    // The most frequent kinds are cheaper to look at again than to remember.
    if (e.kind === 'const') return CHECK.const(e, this, at)
    if (e.kind === 'result') return CHECK.result(e, this, at)
    const known = this.seen.get(e)
    if (known === undefined) {
      const scope = (CHECK[e.kind] as (e: Expr, x: Expressions, at: number) => number)(e, this, at)
      this.seen.set(e, scope)
      return scope
    }
    if (known > 0 && !this.scopes.isOpen(known)) this.outOfScope(e, at)
    return known
  }

  all(list: readonly Expr[], at: number): number {
    let scope = 0
    for (const e of list) scope = Math.max(scope, this.check(e, at))
    return scope
  }

  outOfScope(e: Expr, at: number): void {
    const what = e.kind === 'result' ? `result ${e.id}` : e.kind === 'argument' ? `argument '${e.name}'` : 'a value'
    this.context.report(
      'out-of-scope',
      `${what} is used outside the block that made it`,
      at,
      'store it in a k.var that is declared before the block',
    )
  }

  fault(at: number, message: string): void {
    this.context.report('invalid-ir', message, at)
  }

  /** Reports unless the types are the same. */
  expect(what: string, expected: Type, got: Type, at: number): void {
    if (!sameType(expected, got)) this.fault(at, `${what} must be ${spell(expected)}, not ${spell(got)}`)
  }
}

type Checker = [Expressions, number]

const named = (
  e: { readonly type: Type; readonly name: string },
  kind: string,
  decl: { readonly type: Type } | undefined,
  x: Expressions,
  at: number,
): number => {
  if (!decl) x.context.report('unknown-name', `there is no ${kind} '${e.name}'`, at)
  else if (decl.type !== e.type) x.expect(`${kind} '${e.name}'`, decl.type, e.type, at)
  return 0
}

const CHECK: Cases<Expr, number, Checker> = {
  const: (e, x, at) => {
    if (!validLanes(e)) x.fault(at, `a constant of type ${e.type} cannot be (${e.lanes.join(', ')})`)
    return 0
  },
  builtin: (e, x, at) => {
    const row = BUILTINS[e.name]
    if (!row) x.context.report('unknown-name', `there is no built-in value '${e.name}'`, at)
    else if (row.type !== e.type) x.fault(at, `${e.name} must be ${row.type}, not ${e.type}`)
    return 0
  },
  param: (e, x, at) => named(e, 'param', x.context.params.get(e.name), x, at),
  override: (e, x, at) => named(e, 'override', x.context.overrides.get(e.name), x, at),
  constant: (e, x, at) => named(e, 'constant', x.context.constants.get(e.name), x, at),
  argument: (e, x, at) => {
    const found = x.func?.params.find((p) => p.name === e.name)
    if (!found) x.outOfScope(e, at)
    else x.expect(`argument '${e.name}'`, found.type, e.type, at)
    return x.funcScope
  },
  result: (e, x, at) => {
    const found = x.scopes.result(e.id)
    if (!found || !x.scopes.isOpen(found.scope)) {
      x.outOfScope(e, at)
      return 0
    }
    if (found.what !== e.type) x.expect(`result ${e.id}`, found.what, e.type, at)
    return found.scope
  },
  op: (e, x) => {
    const scope = x.all(e.args, e.at)
    checkOp(e, x)
    return scope
  },
  construct: (e, x) => {
    const scope = x.all(e.args, e.at)
    if (!constructs(e))
      x.fault(e.at, `${spell(e.type)} cannot be made from (${e.args.map((a) => spell(a.type)).join(', ')})`)
    return scope
  },
  convert: (e, x) => {
    const scope = x.check(e.arg, e.at)
    const from = e.arg.type
    const fits =
      isValue(from) && withScalar(from, scalarOf(e.type)) === e.type && !(isMatrix(e.type) && !isFloatMatrix(from))
    if (!fits) x.fault(e.at, `there is no conversion from ${spell(from)} to ${e.type}`)
    return scope
  },
  bitcast: (e, x) => {
    const scope = x.check(e.arg, e.at)
    const from = e.arg.type
    if (!isValue(from) || !canBitcast(e.type, from))
      x.fault(e.at, `there is no bitcast from ${spell(from)} to ${e.type}`)
    return scope
  },
  swizzle: (e, x) => {
    const scope = x.check(e.of, e.at)
    const of = e.of.type
    const rows = isValue(of) && isVector(of) ? factsOf(of).rows : 0
    const fits =
      e.lanes.length >= 1 && e.lanes.length <= 4 && e.lanes.every((l) => Number.isInteger(l) && l >= 0 && l < rows)
    if (!fits) x.context.report('bad-swizzle', `${spell(of)} has no lanes (${e.lanes.join(', ')})`, e.at)
    else x.expect('the swizzle', vectorName(scalarOf(of as ValueName), e.lanes.length), e.type, e.at)
    return scope
  },
  index: (e, x) => {
    const scope = Math.max(x.check(e.of, e.at), x.check(e.index, e.at))
    x.places.index(e.of.type, e.index, e.type, e.at)
    return scope
  },
  member: (e, x) => {
    const scope = x.check(e.of, e.at)
    x.places.member(e.of.type, e.name, e.type, e.at)
    return scope
  },
  length: (e, x) => {
    const scope = x.places.check(e.of, e.at)
    if (e.of.steps.some((s) => s.kind === 'index')) x.fault(e.at, 'the length is of a whole array, not of an element')
    return scope
  },
}

const isFloatMatrix = (type: ValueName): boolean => isMatrix(type) && scalarOf(type) !== 'bool'

/** By row whose operands all have one type: the type of the result, by that of the operands. */
const UNIFORM = new Map<string, Map<Type, ValueName>>()
for (const [op, row] of Object.entries(PURE as Readonly<Record<string, Row>>)) {
  if (row.in.every((slot) => slot === 'T')) UNIFORM.set(op, new Map(row.over.map((t) => [t, slotType(row.out, t)])))
}

function checkOp(e: Of<Expr, 'op'>, x: Expressions): void {
  const first = e.args[0]?.type
  if (first !== undefined && UNIFORM.get(e.op)?.get(first) === e.type && isAll(first, e)) return
  const types: ValueName[] = []
  for (const a of e.args) if (isValue(a.type)) types.push(a.type)
  const [a, b] = types
  const row = e.op === 'product' ? null : (PURE[e.op] as Row | undefined)
  const type =
    types.length !== e.args.length
      ? null
      : row
        ? resolve(row, types)
        : e.op === 'product' && a && b && types.length === 2
          ? productType(a, b)
          : null
  if (type === null) x.fault(e.at, `'${e.op}' has no form for (${e.args.map((arg) => spell(arg.type)).join(', ')})`)
  else if (type !== e.type) x.fault(e.at, `'${e.op}' gives ${type}, not ${e.type}`)
}

const isAll = (type: Type, e: Of<Expr, 'op'>): boolean => {
  for (const a of e.args) if (a.type !== type) return false
  return e.args.length === PURE[e.op as PureName].in.length
}

function validLanes(e: Of<Expr, 'const'>): boolean {
  const { scalar, rows, cols } = factsOf(e.type)
  if (e.lanes.length !== rows * cols) return false
  const round = ROUND[scalar]
  const float = scalar === 'f32' || scalar === 'f16'
  for (const x of e.lanes) if (!Object.is(round(x), x) && !(float && Number.isNaN(x))) return false
  return true
}

function constructs(e: Of<Expr, 'construct'>): boolean {
  const { type, args } = e
  if (!isConstructible(type)) return false
  if (args.length === 0) return true
  if (!isValue(type))
    return type.kind === 'array'
      ? elementsFit(type.of, args, type.count as number)
      : type.kind === 'struct' && fieldsFit(type, args)
  const { scalar, rows, cols } = factsOf(type)
  if (args.some((a) => !isValue(a.type) || scalarOf(a.type) !== scalar || isMatrix(a.type))) return false
  const lanes = args.map((a) => laneCount(a.type as ValueName))
  const total = lanes.reduce((sum, n) => sum + n, 0)
  if (cols > 1) return total === rows * cols && (lanes.every((n) => n === 1) || lanes.every((n) => n === rows))
  return total === rows || (args.length === 1 && isScalar(args[0]?.type as ValueName))
}

const elementsFit = (type: Type, args: readonly Expr[], count: number): boolean =>
  args.length === count && args.every((a) => sameType(a.type, type))

const fieldsFit = (type: StructType, args: readonly Expr[]): boolean =>
  args.length === type.fields.length && args.every((a, i) => sameType(a.type, type.fields[i]?.type ?? 'bool'))
