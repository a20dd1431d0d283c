import {
  type Block,
  type Expr,
  type Func,
  operands,
  type Place,
  type Result,
  type Step,
  type Stmt,
  type Variable,
} from '../../ir'
import { spell } from '../../types'
import { NEXT } from '../behavior'
import { Constants } from '../constants'
import type { Context } from '../context'
import { WGSL_LIMITS } from '../limits'
import { rootType, spaceOf, use } from '../places'
import { step } from './steps'

/**
 * The walk: what is in scope, and what the blocks that are open do. `step` looks at one statement, and comes back here
 * for the blocks in it.
 */
export class Bodies {
  readonly constants: Constants
  /** How many effects and calls of functions with such wait for other invocations or exchange values with them. */
  synchronized = 0
  readonly #synchronizing = new Set<string>()
  #func: Func | null = null
  #locals: Variable[] = []
  // Scopes are numbered as they are entered, 0 is the module.
  readonly #open = [true]
  #scope = 0
  #depth = 0
  #deep = false
  readonly #results: number[] = []
  readonly #variables: number[] = []

  constructor(readonly context: Context) {
    this.constants = new Constants(context)
  }

  declare(v: Variable): void {
    this.context.variables.set(v.id, v)
    this.#variables[v.id] = this.#scope
    if (v.space === 'function') this.#locals.push(v)
  }

  define(r: Result | null, s: Stmt): void {
    if (r === null) return
    this.context.makers[r.id] = s
    this.#results[r.id] = this.#scope
  }

  value(e: Expr | null, at: number): void {
    if (e !== null) this.constants.of(e, at)
  }

  body(func: Func | null, block: Block): void {
    this.#func = this.constants.func = func
    this.#locals = []
    this.context.locals.set(func, this.#locals)
    const before = this.synchronized
    const behavior = this.block(block)
    if (func === null) return
    const { name, params, result } = func
    if (this.synchronized > before) this.#synchronizing.add(name)
    this.context.limit('bad-argument', `'${name}' has`, params.length, ' parameters', WGSL_LIMITS.functionParameters)
    if (result !== null && behavior & NEXT)
      this.context.report(
        'missing-return',
        `'${name}' may end without returning ${spell(result)}`,
        block.at(-1)?.at,
        'return a value on every path',
      )
  }

  /** Opens a scope and gives the one around it. */
  enter(): number {
    const outer = this.#scope
    this.#scope = this.#open.push(true) - 1
    this.#depth++
    return outer
  }

  leave(outer: number): void {
    this.#open[this.#scope] = false
    this.#scope = outer
    this.#depth--
  }

  block(block: Block): number {
    const outer = this.enter()
    const most = WGSL_LIMITS.nestedBlocks
    if (this.#depth > most && !this.#deep)
      this.context.report(
        'too-deep',
        `blocks are nested more than ${most} deep, which compilers of WGSL refuse`,
        block[0]?.at ?? -1,
        'move the inner blocks into a function, or use k.switch for many alternatives',
      )
    this.#deep ||= this.#depth > most
    const behavior = this.statements(block)
    this.leave(outer)
    return behavior
  }

  /** What follows a jump is looked at and has no effect. */
  statements(block: Block): number {
    let behavior = NEXT
    for (let i = 0; i < block.length; i++) {
      const s = block[i] as Stmt
      const before = this.synchronized
      this.context.statement = s.at
      const own = step(s, this)
      if (behavior & NEXT) behavior = (behavior & ~NEXT) | own
      if (block === this.context.kernel.body && this.synchronized > before) this.context.synchronized = i + 1
    }
    return behavior
  }

  /** The constants in a place, and whether those that are indices are in range. */
  place({ root, steps }: Place, at: number): void {
    if (root.kind === 'view') this.constants.of(root.offset, at)
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as Step
      if (step.kind !== 'index' || step.index.kind === 'result' || this.constants.of(step.index, at) === null) continue
      const type = i > 0 ? (steps[i - 1] as Step).type : rootType(root, this.#func, this.context)
      if (type) this.constants.index(type, step.index, at)
    }
  }

  store(place: Place, at: number): void {
    this.place(place, at)
    const { root } = place
    if (root.kind === 'binding' || root.kind === 'view') this.context.written.add(root.name)
  }

  /** A place that was handed on: the builder has not looked whether it can be seen here. */
  handed(place: Place, at: number): void {
    this.place(place, at)
    const { root, steps } = place
    if (root.kind === 'pointer' && !this.#parameter(root.name))
      this.context.report('unknown-name', `there is no pointer parameter '${root.name}'`, at)
    if (root.kind === 'variable' && !this.#open[this.#variables[root.id] ?? -1])
      this.#hidden(`'${this.context.variables.get(root.id)?.name}'`, 'declares', at)
    if (root.kind === 'view') this.#seen(root.offset, at)
    for (const s of steps) if (s.kind === 'index') this.#seen(s.index, at)
  }

  /** The results and arguments in an expression can be seen here. */
  #seen(e: Expr, at: number, done = new Set<Expr>()): void {
    if (done.has(e)) return
    done.add(e)
    if (e.kind === 'result' && !this.#open[this.#results[e.id] ?? -1]) this.#hidden(`result ${e.id}`, 'made', at)
    if (e.kind === 'argument' && !this.#parameter(e.name)) this.#hidden(`argument '${e.name}'`, 'made', at)
    for (const o of operands(e)) this.#seen(o, at, done)
  }

  #hidden(what: string, does: 'made' | 'declares', at: number): void {
    const note = does === 'made' ? 'store it in a k.var that is declared before the block' : undefined
    this.context.report('out-of-scope', `${what} is used outside the block that ${does} it`, at, note)
  }

  #parameter(name: string): boolean {
    return this.#func?.params.some((p) => p.name === name) === true
  }

  called(name: string): void {
    if (this.#synchronizing.has(name)) this.synchronized++
  }

  space(place: Place): string {
    return spaceOf(place.root, this.#func, this.context)
  }

  use(place: Place, does: 'read' | 'write' | 'read_write', at: number): void {
    use(place, does, at, this.#func, this.context)
  }

  fault(at: number, message: string): void {
    this.context.report('invalid-ir', message, at)
  }
}
