import type { Expr, Func, Of } from '../ir'
import {
  bitcast,
  bitcastRefusal,
  construct,
  convert,
  convertRefusal,
  element,
  evaluate,
  PURE,
  type Row,
  refusal,
  swizzle,
  type Value,
} from '../ops'
import { isKind, isValue, spell, type Type, type ValueName } from '../types'
import type { Context } from './context'
import { countOf } from './places'

const ROWS: Readonly<Record<string, Row>> = PURE
type Made = Of<Expr, 'op' | 'construct' | 'convert' | 'bitcast' | 'index'>

const DOMAIN = 'write what is meant in its place, or read a part of it from a param'

/**
 * The walk over expressions: finds the values of those that are constant, each once, and reports on the way what the
 * builder does not see: constants without a value, indices that are constant and out of range, built-in values in
 * functions.
 */
export class Constants {
  readonly #reported = new Set<Expr>()
  /** The function whose body is looked at. */
  func: Func | null = null

  constructor(readonly context: Context) {}

  /** The value of `e`, used by the call of the builder `at`, where it is a constant expression of a value type; else null. */
  of(e: Expr, at: number): Value | null {
    switch (e.kind) {
      case 'const':
        return e
      case 'op':
      case 'construct':
        break
      case 'result':
      case 'param':
      case 'argument':
        return null
      // The length of an array is u32, whatever the override is that it stands for.
      case 'override': {
        const type = this.context.overrides.get(e.name)?.type ?? e.type
        if (type !== e.type)
          this.context.report('invalid-ir', `override '${e.name}' must be ${type}, not ${e.type}`, at)
        return null
      }
      case 'builtin':
        return this.func ? this.#inFunction(e, at, this.func) : null
      case 'constant': {
        const decl = this.context.constants.get(e.name)
        return decl ? this.of(decl.value, at) : null
      }
      case 'swizzle': {
        const value = this.of(e.of, e.at)
        return value && { type: e.type, lanes: swizzle(value, e.lanes) }
      }
      case 'member': {
        this.of(e.of, e.at)
        return null
      }
      case 'length':
        return this.#length(e)
    }
    const node = this.context.nodes.of(e)
    if (node.value === undefined) node.value = this.#made(e)
    return node.value
  }

  /** The number that a constant scalar is, or null. */
  number(e: Expr, at: number): number | null {
    return this.of(e, at)?.lanes[0] ?? null
  }

  /** The number that a constant index into something of type `of` is, or null. */
  index(of: Type, e: Expr, at: number): number | null {
    const known = this.number(e, at)
    if (known === null) return null
    const count = countOf(of)
    if (known < 0 || (count !== null && known >= count))
      this.context.report('bad-index', `index ${known} is out of range of ${spell(of)}`, at)
    return known
  }

  #inFunction(e: Of<Expr, 'builtin'>, at: number, func: Func): null {
    if (!this.#reported.has(e))
      this.context.report(
        'invalid-ir',
        `${e.name} is used in function '${func.name}': built-in values are inputs of the entry point only`,
        at,
      )
    this.#reported.add(e)
    return null
  }

  #length({ of, at }: Of<Expr, 'length'>): null {
    for (const s of of.steps) if (s.kind === 'index') this.of(s.index, at)
    if (of.root.kind === 'view') this.of(of.root.offset, at)
    if (!isKind(of.type, 'array') || of.type.count !== null)
      this.context.report('invalid-ir', `${spell(of.type)} has no length at run time`, at)
    return null
  }

  #made(e: Made): Value | null {
    switch (e.kind) {
      case 'op':
        return this.#op(e)
      case 'construct': {
        if (this.#known(e) < e.args.length || !isValue(e.type)) return null
        return {
          type: e.type,
          lanes: construct(
            e.type,
            e.args.map((a) => this.of(a, e.at) as Value),
          ),
        }
      }
      case 'convert':
        return this.#converted(e, 'conversion', convertRefusal, convert)
      case 'bitcast':
        return this.#converted(e, 'bitcast', bitcastRefusal, bitcast)
      case 'index': {
        const value = this.of(e.of, e.at)
        const index = this.index(e.of.type, e.index, e.at)
        const lanes = value && index !== null ? element(value, index) : null
        return lanes && isValue(e.type) ? { type: e.type, lanes } : null
      }
    }
  }

  /** How many operands are constant; all of them are looked at. */
  #known({ args, at }: Of<Expr, 'op' | 'construct'>): number {
    let known = 0
    for (let i = 0; i < args.length; i++) if (this.of(args[i] as Expr, at) !== null) known++
    return known
  }

  #op(e: Of<Expr, 'op'>): Value | null {
    const known = this.#known(e)
    const all = known === e.args.length
    // Few ops refuse constants where their other arguments are none.
    if (known === 0 || !(all || ROWS[e.op]?.refuseAny)) return null
    const args = e.args.map((a) => this.of(a, e.at))
    const types = e.args.map((a) => a.type as ValueName)
    this.#refuse(e.at, `'${e.op}'`, refusal(e.op, e.type, args, types))
    return all ? { type: e.type, lanes: evaluate(e.op, e.type, args as Value[]) } : null
  }

  #converted(
    e: Of<Expr, 'convert' | 'bitcast'>,
    what: string,
    refusalOf: typeof convertRefusal,
    to: typeof convert,
  ): Value | null {
    const value = this.of(e.arg, e.at)
    if (value === null) return null
    this.#refuse(e.at, `the ${what} to ${e.type}`, refusalOf(e.type, value))
    return { type: e.type, lanes: to(e.type, value) }
  }

  #refuse(at: number, what: string, why: string | null): void {
    if (why !== null) this.context.report('const-domain', `${what} of these constants has no value: ${why}`, at, DOMAIN)
  }
}
