import {
  type Block,
  blocksOf,
  type Cases,
  type Expr,
  type Func,
  isPlace,
  type Of,
  type Place,
  type Result,
  type Stmt,
  type Variable,
} from '../../ir'
import { isConstructible, isInt, isScalar, isValue, spell, type Type } from '../../types'
import type { Context } from '../context'
import { use } from '../places'
import { checkCall } from './calls'
import { checkEffect, resultsOf } from './effects'
import { Expressions } from './expressions'
import { Scopes } from './scopes'

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
  constructor(readonly context: Context) {
    this.x = new Expressions(context, this.scopes)
  }

  fault(at: number, message: string): void {
    this.context.report('invalid-ir', message, at)
  }

  define(at: number, ...results: readonly Result[]): void {
    for (const r of results) if (!this.scopes.define(r)) this.fault(at, `result ${r.id} is defined twice`)
  }

  declare(v: Variable): boolean {
    this.context.variables.set(v.id, v)
    return this.scopes.declare(v)
  }

  body(func: Func | null, block: Block): void {
    this.scopes.enter()
    this.x.enter(func)
    this.statements(block)
    this.scopes.leave()
    this.x.func = null
  }

  block(block: Block): void {
    this.scopes.enter()
    this.statements(block)
    this.scopes.leave()
  }

  /** The statements of a block, in the scope that is open. What follows a jump is checked, too. */
  statements(block: Block): void {
    for (const s of block) {
      this.context.statement = s.at
      ;(STMT[s.kind] as (s: Stmt, t: Statements) => void)(s, this)
    }
  }

  test(e: Expr, at: number): void {
    this.x.check(e, at)
    if (e.type !== 'bool') this.fault(at, `a condition must be bool, not ${spell(e.type)}`)
  }

  /** Runs `f` inside of a construct and restores what was around it. */
  within(inside: Inside, f: () => void): void {
    const before = [this.inside, this.continues, this.continuing] as const
    this.inside = inside
    if (inside === 'loop') this.continues = true
    if (inside === 'continuing') this.continues = false
    if (inside === 'continuing') this.continuing = true
    f()
    ;[this.inside, this.continues, this.continuing] = before
  }

  misplaced(at: number, message: string): void {
    this.context.report('misplaced-statement', message, at)
  }
}

const STMT: Cases<Stmt, void, [Statements]> = {
  let: (s, t) => {
    t.x.check(s.value, s.at)
    if (s.value.type !== s.result.type) t.x.expect(`'${s.name}'`, s.value.type, s.result.type, s.at)
    if (!isConstructible(s.value.type)) t.fault(s.at, `a value of type ${spell(s.value.type)} cannot be named`)
    t.define(s.at, s.result)
  },
  var: (s, t) => {
    const { variable: v } = s
    if (v.init) {
      t.x.check(v.init, s.at)
      t.x.expect(`the initial value of '${v.name}'`, v.type, v.init.type, s.at)
    }
    if (v.space !== 'function') t.fault(s.at, `'${v.name}' is declared in a body and cannot be in ${v.space} memory`)
    if (!isConstructible(v.type)) t.context.report('bad-type', `a variable cannot have the type ${spell(v.type)}`, s.at)
    if (!t.declare(v)) t.fault(s.at, `variable ${v.id} is declared twice`)
  },
  load: (s, t) => {
    accessed(s.place, 'read', s.at, t)
    if (!isConstructible(s.place.type)) t.fault(s.at, unloadable(s.place.type))
    else t.x.expect('what is loaded', s.place.type, s.result.type, s.at)
    t.define(s.at, s.result)
  },
  store: (s, t) => {
    accessed(s.place, 'write', s.at, t)
    t.x.check(s.value, s.at)
    if (!isConstructible(s.place.type)) t.fault(s.at, unloadable(s.place.type))
    else t.x.expect('what is stored', s.place.type, s.value.type, s.at)
  },
  effect: (s, t) => {
    checkEffect(s, t.x)
    t.define(s.at, ...resultsOf(s))
  },
  call: (s, t) => {
    for (const a of s.args) isPlace(a) ? t.x.places.check(a, s.at) : t.x.check(a, s.at)
    checkCall(s, t.x)
    if (s.result) t.define(s.at, s.result)
  },
  if: (s, t) => {
    t.test(s.test, s.at)
    t.block(s.then)
    t.block(s.else)
  },
  switch: (s, t) => {
    t.x.check(s.selector, s.at)
    checkCases(s, t)
    t.within('switch', () => {
      t.block(s.default)
      for (const c of s.cases) t.block(c.body)
    })
  },
  range: (s, t) => {
    t.x.all([s.start, s.end, s.step], s.at)
    const { type } = s.index
    if (type !== 'i32' && type !== 'u32') t.fault(s.at, `a range counts in i32 or u32, not ${spell(type)}`)
    for (const e of [s.start, s.end, s.step]) t.x.expect('start, end and step of a range', type, e.type, s.at)
    t.within('loop', () => {
      t.scopes.enter()
      t.define(s.at, s.index)
      t.block(s.body)
      t.scopes.leave()
    })
  },
  loop,
  break: (s, t) => {
    if (t.inside === 'loop' || t.inside === 'switch') return
    t.misplaced(
      s.at,
      t.inside === 'continuing'
        ? 'break cannot leave a continuing block; end it with breakIf'
        : 'break stands outside a loop or switch',
    )
  },
  continue: (s, t) => {
    if (!t.continues)
      t.misplaced(s.at, t.continuing ? 'continue stands in a continuing block' : 'continue stands outside a loop')
  },
  return: (s, t) => {
    if (t.continuing) {
      t.misplaced(s.at, 'return stands in a continuing block')
      return
    }
    const wanted = t.x.func?.result ?? null
    if (s.value) t.x.check(s.value, s.at)
    if (s.value && wanted === null) t.fault(s.at, 'nothing returns a value here')
    else if (!s.value && wanted !== null) t.fault(s.at, `a value of type ${spell(wanted)} must be returned`)
    else if (s.value && wanted !== null) t.x.expect('what is returned', wanted, s.value.type, s.at)
  },
}

function accessed(place: Place, does: 'read' | 'write', at: number, t: Statements): void {
  t.x.places.check(place, at)
  use(place, does, at, t.x.func, t.context)
}

const unloadable = (type: Type): string =>
  !isValue(type) && type.kind === 'atomic'
    ? `${spell(type)} is read and written by atomic operations only`
    : `${spell(type)} cannot be loaded or stored as a whole`

/** The body and the continuing block, which sees what the body declares unless a `continue` may skip it. */
function loop(s: Of<Stmt, 'loop'>, t: Statements): void {
  const skips = continues(s.body)
  t.scopes.enter()
  t.within('loop', () => {
    t.statements(s.header)
    if (s.test) t.test(s.test, s.at)
    t.scopes.enter()
    t.statements(s.body)
    if (skips) t.scopes.leave()
    t.within('continuing', () => {
      t.scopes.enter()
      t.statements(s.continuing)
      if (s.breakIf) t.test(s.breakIf, s.at)
      t.scopes.leave()
    })
    if (!skips) t.scopes.leave()
  })
  t.scopes.leave()
}

/** Whether a `continue` of this block's loop can be reached. */
function continues(block: Block): boolean {
  for (const s of block) {
    if (s.kind === 'continue') return true
    if (s.kind === 'break' || s.kind === 'return') return false
    if ((s.kind === 'if' || s.kind === 'switch') && blocksOf(s).some(continues)) return true
  }
  return false
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
    if (!Number.isInteger(x) || x < low || x > high)
      t.context.report('bad-switch', `${x} is not a value of ${type}`, s.at)
    if (seen.has(x)) t.context.report('bad-switch', `two cases are selected by ${x}`, s.at)
    seen.add(x)
  }
  if (s.cases.some((c) => c.selectors.length === 0)) t.context.report('bad-switch', 'a case has no selector', s.at)
}
