import { isPlace, type Block, type Cases, type Expr, type Func, type Of, type Result, type Stmt, type Variable } from '../../ir'
import { isConstructible, isInt, isScalar, isValue, spell, type Type } from '../../types'
import type { Context } from '../context'
import { WGSL_LIMITS } from '../limits'
import { checkCall } from './calls'
import { checkEffect, resultsOf } from './effects'
import { Expressions } from './expressions'
import { Scopes } from './scopes'

/** How control may leave a statement: the behaviors of the WGSL specification, as bits. */
export const NEXT = 1
export const BREAK = 2
export const CONTINUE = 4
export const RETURN = 8

type Inside = 'loop' | 'switch' | 'continuing' | null

/** Checks the bodies of one kernel: functions in order, then the entry point. */
export class Statements {
  readonly scopes = new Scopes()
  readonly x: Expressions
  /** The innermost construct that a `break` would leave, and whether a `continue` has a loop to go to. */
  inside: Inside = null
  continues = false
  /** Whether the statements belong to a continuing block, where `return` is not allowed. */
  continuing = false
  private deep = false
  /** The variables of the body that is checked. */
  variables: Variable[] = []

  constructor(readonly context: Context) {
    this.x = new Expressions(context, this.scopes)
  }

  fault(at: number, message: string): void {
    this.context.report('invalid-ir', message, at)
  }

  define(at: number, ...results: readonly Result[]): void {
    for (const r of results) if (!this.scopes.define(r)) this.fault(at, `result ${r.id} is defined twice`)
  }

  body(func: Func | null, block: Block): void {
    this.x.begin(func)
    this.scopes.enter()
    this.x.funcScope = this.scopes.current
    this.variables = []
    this.context.locals.set(func, this.variables)
    const behavior = this.statements(block)
    this.scopes.leave()
    this.x.func = null
    const last = block.at(-1)
    if (func && func.result !== null && behavior & NEXT) {
      this.context.report('missing-return', `'${func.name}' may end without returning ${spell(func.result)}`, last?.at, 'return a value on every path')
    }
  }

  block(block: Block): number {
    this.scopes.enter()
    if (this.scopes.depth > WGSL_LIMITS.nestedBlocks) this.tooDeep(block)
    const behavior = this.statements(block)
    this.scopes.leave()
    return behavior
  }

  private tooDeep(block: Block): void {
    if (this.deep) return
    this.deep = true
    const { nestedBlocks: most } = WGSL_LIMITS
    this.context.report('too-deep', `blocks are nested more than ${most} deep, which compilers of WGSL refuse`, block[0]?.at ?? -1, 'move the inner blocks into a function, or use k.switch for many alternatives')
  }

  /** The statements of a block, in the scope that is open. What follows a jump is checked and has no effect. */
  statements(block: Block): number {
    let behavior = NEXT
    for (const s of block) {
      this.context.statement = s.at
      const own = (STMT[s.kind] as (s: Stmt, t: Statements) => number)(s, this)
      if (behavior & NEXT) behavior = (behavior & ~NEXT) | own
    }
    return behavior
  }

  test(e: Expr, at: number): void {
    this.x.check(e, at)
    if (e.type !== 'bool') this.fault(at, `a condition must be bool, not ${spell(e.type)}`)
  }

  /** Runs `f` inside of a construct and restores what was around it. */
  within<R>(inside: Inside, f: () => R): R {
    const before = [this.inside, this.continues, this.continuing] as const
    this.inside = inside
    if (inside === 'loop') this.continues = true
    if (inside === 'continuing') this.continues = false
    if (inside === 'continuing') this.continuing = true
    const out = f()
    ;[this.inside, this.continues, this.continuing] = before
    return out
  }

  misplaced(at: number, message: string): number {
    this.context.report('misplaced-statement', message, at)
    return NEXT
  }
}

const STMT: Cases<Stmt, number, [Statements]> = {
  let: (s, t) => {
    t.x.check(s.value, s.at)
    if (s.value.type !== s.result.type) t.x.expect(`'${s.name}'`, s.value.type, s.result.type, s.at)
    if (!isConstructible(s.value.type)) t.fault(s.at, `a value of type ${spell(s.value.type)} cannot be named`)
    t.define(s.at, s.result)
    return NEXT
  },
  var: (s, t) => {
    const { variable: v } = s
    if (v.init) {
      t.x.check(v.init, s.at)
      t.x.expect(`the initial value of '${v.name}'`, v.type, v.init.type, s.at)
    }
    if (v.space !== 'function') t.fault(s.at, `'${v.name}' is declared in a body and cannot be in ${v.space} memory`)
    if (!isConstructible(v.type)) t.context.report('bad-type', `a variable cannot have the type ${spell(v.type)}`, s.at)
    t.variables.push(v)
    if (!t.scopes.declare(v)) t.fault(s.at, `variable ${v.id} is declared twice`)
    return NEXT
  },
  load: (s, t) => {
    t.x.places.check(s.place, s.at)
    t.x.places.use(s.place, 'read', s.at)
    if (!isConstructible(s.place.type)) t.fault(s.at, unloadable(s.place.type))
    else t.x.expect('what is loaded', s.place.type, s.result.type, s.at)
    t.define(s.at, s.result)
    return NEXT
  },
  store: (s, t) => {
    t.x.places.check(s.place, s.at)
    t.x.check(s.value, s.at)
    t.x.places.use(s.place, 'write', s.at)
    if (!isConstructible(s.place.type)) t.fault(s.at, unloadable(s.place.type))
    else t.x.expect('what is stored', s.place.type, s.value.type, s.at)
    return NEXT
  },
  effect: (s, t) => {
    checkEffect(s, t.x)
    t.define(s.at, ...resultsOf(s))
    return NEXT
  },
  call: (s, t) => {
    for (const a of s.args) isPlace(a) ? t.x.places.check(a, s.at) : t.x.check(a, s.at)
    checkCall(s, t.x)
    if (s.result) t.define(s.at, s.result)
    return NEXT
  },
  if: (s, t) => {
    t.test(s.test, s.at)
    return t.block(s.then) | t.block(s.else)
  },
  switch: (s, t) => {
    t.x.check(s.selector, s.at)
    checkCases(s, t)
    const behavior = t.within('switch', () => s.cases.reduce((b, c) => b | t.block(c.body), t.block(s.default)))
    return behavior & BREAK ? (behavior & ~BREAK) | NEXT : behavior
  },
  range: (s, t) => {
    t.x.all([s.start, s.end, s.step], s.at)
    checkRange(s, t)
    const behavior = t.within('loop', () => {
      t.scopes.enter()
      t.define(s.at, s.index)
      const b = t.block(s.body)
      t.scopes.leave()
      return b
    })
    return NEXT | (behavior & RETURN)
  },
  loop: (s, t) => loop(s, t),
  break: (s, t) => {
    if (t.inside === 'loop' || t.inside === 'switch') return BREAK
    return t.misplaced(s.at, t.inside === 'continuing' ? 'break cannot leave a continuing block; end it with breakIf' : 'break stands outside a loop or switch')
  },
  continue: (s, t) => (t.continues ? CONTINUE : t.misplaced(s.at, t.continuing ? 'continue stands in a continuing block' : 'continue stands outside a loop')),
  return: (s, t) => {
    if (t.continuing) return t.misplaced(s.at, 'return stands in a continuing block')
    const wanted = t.x.func?.result ?? null
    if (s.value) t.x.check(s.value, s.at)
    if (s.value && wanted === null) t.fault(s.at, 'nothing returns a value here')
    else if (!s.value && wanted !== null) t.fault(s.at, `a value of type ${spell(wanted)} must be returned`)
    else if (s.value && wanted !== null) t.x.expect('what is returned', wanted, s.value.type, s.at)
    return RETURN
  },
}

const unloadable = (type: Type): string =>
  !isValue(type) && type.kind === 'atomic'
    ? `${spell(type)} is read and written by atomic operations only`
    : `${spell(type)} cannot be loaded or stored as a whole`

function loop(s: Of<Stmt, 'loop'>, t: Statements): number {
  t.scopes.enter()
  const behavior = t.within('loop', () => {
    const b = t.statements(s.header)
    if (b & CONTINUE) t.misplaced(s.at, 'continue stands in the header of a loop')
    if (s.test) t.test(s.test, s.at)
    return body(s, t) | (b & ~NEXT)
  })
  t.scopes.leave()
  const exits = s.test !== null || s.breakIf !== null || (behavior & (BREAK | RETURN)) !== 0
  if (!exits) t.context.report('endless-loop', 'nothing leaves this loop', s.at, 'break, return, or give it a condition')
  return (s.test !== null || s.breakIf !== null || behavior & BREAK ? NEXT : 0) | (behavior & RETURN)
}

/** The body and the continuing block, which sees what the body declares unless a `continue` may skip it. */
function body(s: Of<Stmt, 'loop'>, t: Statements): number {
  t.scopes.enter()
  const behavior = t.statements(s.body)
  if (behavior & CONTINUE) t.scopes.leave()
  t.within('continuing', () => {
    t.scopes.enter()
    t.statements(s.continuing)
    if (s.breakIf) t.test(s.breakIf, s.at)
    t.scopes.leave()
  })
  if (!(behavior & CONTINUE)) t.scopes.leave()
  return behavior
}

function checkCases(s: Of<Stmt, 'switch'>, t: Statements): void {
  const { type } = s.selector
  if (!isValue(type) || !isScalar(type) || !isInt(type)) {
    t.fault(s.at, `a selector must be i32 or u32, not ${spell(type)}`)
    return
  }
  const seen = new Set<number>()
  const [low, high] = type === 'i32' ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1]
  for (const x of s.cases.flatMap((c) => c.selectors)) {
    if (!Number.isInteger(x) || x < low || x > high) t.context.report('bad-switch', `${x} is not a value of ${type}`, s.at)
    if (seen.has(x)) t.context.report('bad-switch', `two cases are selected by ${x}`, s.at)
    seen.add(x)
  }
  if (s.cases.some((c) => c.selectors.length === 0)) t.context.report('bad-switch', 'a case has no selector', s.at)
  if (seen.size > WGSL_LIMITS.switchSelectors) t.context.report('bad-switch', `a switch has ${seen.size} selectors, more than ${WGSL_LIMITS.switchSelectors}`, s.at)
}

function checkRange(s: Of<Stmt, 'range'>, t: Statements): void {
  const { type } = s.index
  if (type !== 'i32' && type !== 'u32') t.fault(s.at, `a range counts in i32 or u32, not ${spell(type)}`)
  for (const e of [s.start, s.end, s.step]) t.x.expect('start, end and step of a range', type, e.type, s.at)
  if (t.x.constants.number(s.step) === 0) t.context.report('endless-loop', 'the step of this range is 0', s.at)
}
