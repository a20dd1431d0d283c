import {
  type Block,
  type Call,
  type Cases,
  type Effect,
  type Expr,
  type Func,
  isPlace,
  type Of,
  operands,
  type Place,
  type Result,
  type Stmt,
  type Variable,
} from '../ir'
import { EFFECTS, type EffectRow } from '../ops'
import { isConstructible, isInt, isValue, type PtrType, sameType, spell, type Type } from '../types'
import { BREAK, CONTINUE, NEXT, RETURN } from './behavior'
import { Constants } from './constants'
import type { Context } from './context'
import { WGSL_LIMITS } from './limits'
import { pointerType, rootType, spaceOf, use } from './places'

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

/**
 * The bodies of a kernel, functions first: what authors can get wrong and the builder does not see. The builder
 * answers for types, for the scope of values and for the access of loads and stores; not for the places that it hands to
 * effects and calls. On the way, what later checks need is noted in the context.
 */
export function checkBodies(context: Context): void {
  const { kernel } = context
  const bodies = new Bodies(context)
  for (const v of kernel.variables) bodies.declare(v)
  for (const f of kernel.functions) bodies.body(f, f.body)
  bodies.body(null, kernel.body)
}

class Bodies {
  readonly constants: Constants
  /** How many effects and calls of functions with such wait for other invocations or exchange values with them. */
  synchronized = 0
  private readonly synchronizing = new Set<string>()
  private func: Func | null = null
  private locals: Variable[] = []
  private deep = false
  // Scopes are numbered as they are entered, 0 is the module.
  private readonly open: boolean[] = [true]
  private scope = 0
  private depth = 0
  /** Whether the block that is open writes what guards are about. */
  private guarded = false
  private readonly results: number[] = []
  private readonly variables: number[] = []

  constructor(readonly context: Context) {
    this.constants = new Constants(context)
  }

  declare(v: Variable): void {
    this.context.variables.set(v.id, v)
    this.variables[v.id] = this.scope
    if (v.space === 'function') this.locals.push(v)
  }

  define(r: Result | null, s: Stmt): void {
    if (r === null) return
    this.context.makers[r.id] = s
    this.results[r.id] = this.scope
  }

  value(e: Expr | null, at: number): void {
    if (e !== null) this.constants.of(e, at)
  }

  body(func: Func | null, block: Block): void {
    this.func = this.constants.func = func
    this.locals = []
    this.context.locals.set(func, this.locals)
    const before = this.synchronized
    const behavior = this.block(block)
    if (this.synchronized > 0) this.context.synchronizes = true
    if (func === null) return
    if (this.synchronized > before) this.synchronizing.add(func.name)
    if (func.params.length > WGSL_LIMITS.functionParameters)
      this.context.report(
        'bad-argument',
        `'${func.name}' has ${func.params.length} parameters, more than ${WGSL_LIMITS.functionParameters}`,
      )
    if (func.result !== null && behavior & NEXT) {
      this.context.report(
        'missing-return',
        `'${func.name}' may end without returning ${spell(func.result)}`,
        block.at(-1)?.at,
        'return a value on every path',
      )
    }
  }

  /** Opens a scope and gives the one around it. */
  enter(): number {
    const outer = this.scope
    this.scope = this.open.push(true) - 1
    this.depth++
    return outer
  }

  leave(outer: number): void {
    this.open[this.scope] = false
    this.scope = outer
    this.depth--
  }

  block(block: Block): number {
    const outer = this.enter()
    if (this.depth > WGSL_LIMITS.nestedBlocks && !this.deep) {
      this.deep = true
      this.context.report(
        'too-deep',
        `blocks are nested more than ${WGSL_LIMITS.nestedBlocks} deep, which compilers of WGSL refuse`,
        block[0]?.at ?? -1,
        'move the inner blocks into a function, or use k.switch for many alternatives',
      )
    }
    const behavior = this.statements(block)
    this.leave(outer)
    return behavior
  }

  /** What follows a jump is looked at and has no effect. */
  statements(block: Block): number {
    let behavior = NEXT
    const top = block === this.context.kernel.body
    const around = this.guarded
    this.guarded = false
    for (let i = 0; i < block.length; i++) {
      const s = block[i] as Stmt
      const before = this.synchronized
      this.context.statement = s.at
      const own = (STEP[s.kind] as (s: Stmt, b: Bodies) => number)(s, this)
      if (behavior & NEXT) behavior = (behavior & ~NEXT) | own
      if (top && this.synchronized > before) this.context.lastSynchronized = i
    }
    if (this.guarded) this.context.guarded.add(block)
    this.guarded ||= around
    return behavior
  }

  /** The constants in a place, and whether those that are indices are in range. */
  place({ root, steps }: Place, at: number): void {
    if (root.kind === 'view') this.constants.of(root.offset, at)
    let before: Type | null = null
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as Place['steps'][number]
      if (step.kind === 'index') {
        const { index } = step
        if (index.kind !== 'result') this.constants.index(before ?? rootType(root, this.func, this.context), index, at)
      }
      before = step.type
    }
  }

  store(place: Place, at: number): void {
    this.place(place, at)
    const { root } = place
    if (root.kind === 'binding' || root.kind === 'view') this.context.written.add(root.name)
    this.writes(place)
  }

  writes({ root, type }: Place): void {
    if (root.kind !== 'variable' || !isValue(type) || isInt(type)) this.guarded = true
  }

  /** A place that was handed on: the builder has not looked whether it can be seen here. */
  handed(place: Place, at: number): void {
    this.place(place, at)
    const { context } = this
    const { root, steps } = place
    if (root.kind === 'pointer' && !pointerType(root.name, this.func))
      context.report('unknown-name', `there is no pointer parameter '${root.name}'`, at)
    if (root.kind === 'variable' && !this.open[this.variables[root.id] ?? -1]) {
      const found = context.variables.get(root.id)
      context.report(
        'out-of-scope',
        `${found ? `'${found.name}'` : `variable ${root.id}`} is used outside the block that declares it`,
        at,
      )
    }
    if (root.kind === 'view') this.seen(root.offset, at)
    for (const s of steps) if (s.kind === 'index') this.seen(s.index, at)
  }

  private seen(e: Expr, at: number): void {
    if (this.visible(e, new Set())) return
    const what = e.kind === 'result' ? `result ${e.id}` : e.kind === 'argument' ? `argument '${e.name}'` : 'a value'
    this.context.report(
      'out-of-scope',
      `${what} is used outside the block that made it`,
      at,
      'store it in a k.var that is declared before the block',
    )
  }

  private visible(e: Expr, done: Set<Expr>): boolean {
    if (e.kind === 'result') return this.open[this.results[e.id] ?? -1] === true
    if (e.kind === 'argument') return this.func?.params.some((p) => p.name === e.name) === true
    if (done.has(e)) return true
    done.add(e)
    return operands(e).every((o) => this.visible(o, done))
  }

  called(name: string): void {
    if (this.synchronizing.has(name)) this.synchronized++
  }

  space(place: Place): string {
    return spaceOf(place, this.func, this.context)
  }

  use(place: Place, does: 'read' | 'write' | 'read_write', at: number): void {
    use(place, does, at, this.func, this.context)
  }

  fault(at: number, message: string): number {
    this.context.report('invalid-ir', message, at)
    return NEXT
  }
}

const STEP: Cases<Stmt, number, [Bodies]> = {
  let: (s, b) => {
    b.value(s.value, s.at)
    b.define(s.result, s)
    return NEXT
  },
  var: (s, b) => {
    b.value(s.variable.init, s.at)
    b.declare(s.variable)
    return NEXT
  },
  load: (s, b) => {
    b.place(s.place, s.at)
    b.define(s.result, s)
    return NEXT
  },
  store: (s, b) => {
    b.store(s.place, s.at)
    b.value(s.value, s.at)
    return NEXT
  },
  effect,
  call,
  if: (s, b) => {
    b.value(s.test, s.at)
    return b.block(s.then) | b.block(s.else)
  },
  switch: (s, b) => {
    b.value(s.selector, s.at)
    let behavior = b.block(s.default)
    let selectors = 0
    for (const c of s.cases) {
      selectors += c.selectors.length
      behavior |= b.block(c.body)
    }
    if (selectors > WGSL_LIMITS.switchSelectors)
      b.context.report(
        'bad-switch',
        `a switch has ${selectors} selectors, more than ${WGSL_LIMITS.switchSelectors}`,
        s.at,
      )
    return behavior & BREAK ? (behavior & ~BREAK) | NEXT : behavior
  },
  range: (s, b) => {
    b.value(s.start, s.at)
    b.value(s.end, s.at)
    if (b.constants.number(s.step, s.at) === 0) b.context.report('endless-loop', 'the step of this range is 0', s.at)
    const outer = b.enter()
    b.define(s.index, s)
    const behavior = b.block(s.body)
    b.leave(outer)
    return NEXT | (behavior & RETURN)
  },
  loop,
  break: () => BREAK,
  continue: () => CONTINUE,
  return: (s, b) => {
    b.value(s.value, s.at)
    return RETURN
  },
}

function loop(s: Of<Stmt, 'loop'>, b: Bodies): number {
  const outer = b.enter()
  const header = b.statements(s.header)
  if (header & CONTINUE) b.context.report('misplaced-statement', 'continue stands in the header of a loop', s.at)
  b.value(s.test, s.at)
  const around = b.enter()
  const behavior = b.statements(s.body) | (header & ~NEXT)
  // What the body makes is seen by the continuing block, unless a continue may skip it.
  if (behavior & CONTINUE) b.leave(around)
  const inside = b.enter()
  b.statements(s.continuing)
  b.value(s.breakIf, s.at)
  b.leave(inside)
  if (!(behavior & CONTINUE)) b.leave(around)
  b.leave(outer)
  const ends = s.test !== null || s.breakIf !== null
  if (!ends && !(behavior & (BREAK | RETURN)))
    b.context.report('endless-loop', 'nothing leaves this loop', s.at, 'break, return, or give it a condition')
  return (ends || behavior & BREAK ? NEXT : 0) | (behavior & RETURN)
}

function effect(s: Effect, b: Bodies): number {
  const row = ROWS[s.op] as EffectRow
  if (row.flow !== 'any') b.synchronized++
  for (const a of s.args) b.value(a, s.at)
  if (s.place) effectPlace(s, s.place, row, b)
  if (row.family === 'subgroup' || row.family === 'quad') lane(s, row, b)
  if (row.family === 'matrix') matrix(s, b)
  b.define(s.result, s)
  b.define(s.exchanged, s)
  return NEXT
}

function effectPlace(s: Effect, place: Place, row: EffectRow, b: Bodies): void {
  b.handed(place, s.at)
  b.writes(place)
  const { type } = place
  const kind = isValue(type) ? 'value' : type.kind
  const space = b.space(place)
  const fits =
    row.place === 'workgroup'
      ? space === 'workgroup' && (kind === 'atomic' || isConstructible(type))
      : row.place === 'elements'
        ? kind === 'array' && space !== 'function'
        : row.place === kind && space !== 'function'
  if (!fits) b.fault(s.at, `'${s.op}' cannot be applied to ${spell(type)} in ${space} memory`)
  else if (
    s.op === 'textureDimensions' &&
    s.args.length > 0 &&
    !isValue(type) &&
    type.kind === 'texture' &&
    (type.format !== undefined || type.dimension === 'multisampled_2d')
  ) {
    b.fault(s.at, `'${s.op}' takes 0 arguments here, not ${s.args.length}`)
  } else if (row.memory !== 'none') b.use(place, row.place === 'workgroup' ? 'read' : row.memory, s.at)
}

/** Constant ids of lanes: those of a quad are below 4, those of a subgroup below 128. */
function lane(s: Effect, row: EffectRow, b: Bodies): void {
  const [, slot] = row.in
  const [, arg] = s.args
  if (slot === undefined || arg === undefined) return
  const value = b.constants.number(arg, s.at)
  const most = row.family === 'quad' ? 4 : 128
  if (value === null) {
    if (slot === 'const:u32')
      b.context.report(
        'not-constant',
        `the invocation that '${s.op}' reads must be a constant`,
        s.at,
        most === 128 ? 'use subgroupShuffle for an id that is computed' : undefined,
      )
  } else if (value < 0 || value >= most)
    b.context.report('const-domain', `'${s.op}' takes a number below ${most}, not ${value}`, s.at)
}

const isMatrix = (type: Type): boolean => !isValue(type) && type.kind === 'subgroup_matrix'

function matrix(s: Effect, b: Bodies): void {
  const stored = s.op === 'subgroupMatrixStore' ? s.args[1]?.type : undefined
  if (stored !== undefined && !isMatrix(stored))
    b.fault(s.at, `argument 2 of '${s.op}' must be a subgroup matrix, not ${spell(stored)}`)
  if (s.result && !isMatrix(s.result.type))
    b.fault(s.at, `'${s.op}' gives a subgroup matrix, not ${spell(s.result.type)}`)
}

function call(s: Call, b: Bodies): number {
  const func = b.context.functions.get(s.func)
  b.called(s.func)
  for (const [i, arg] of s.args.entries()) {
    const param = func?.params[i]
    if (!isPlace(arg)) b.value(arg, s.at)
    else {
      b.handed(arg, s.at)
      b.writes(arg)
      if (param && !isValue(param.type) && param.type.kind === 'ptr') pass(s, param.name, param.type, arg, b)
    }
  }
  b.define(s.result, s)
  return NEXT
}

function pass(s: Call, name: string, pointer: PtrType, place: Place, b: Bodies): void {
  const what = `argument '${name}' of '${s.func}'`
  const space = pointer.space === 'private' ? 'function' : pointer.space
  const got = b.space(place)
  if (!sameType(pointer.of, place.type))
    b.fault(s.at, `${what} must point to ${spell(pointer.of)}, not ${spell(place.type)}`)
  else if (got !== space) b.fault(s.at, `${what} must point into ${space} memory, not ${got}`)
  else if (space === 'storage' || space === 'uniform') b.use(place, pointer.access, s.at)
}
