import { type Expr, operands } from '../../ir'
import type { BuiltinName, PureName } from '../../ops'
import type { Context } from '../context'
import type { Facts } from './facts'

/** Whether indices are limited, by what is known at the point of the walk. */
export class Limited {
  private readonly launched: boolean

  constructor(
    private readonly facts: Facts,
    context: Context,
  ) {
    this.launched = context.kernel.launch !== null
  }

  /** The first leaf of `e` that nothing limits, or null. */
  culprit(e: Expr): Expr | null {
    if (e.type === 'bool') return null
    switch (e.kind) {
      case 'const':
      case 'param':
      case 'override':
      case 'constant':
      case 'length':
        return null
      case 'argument':
        return this.facts.isLimited(this.facts.argument(e.name)) ? null : e
      case 'builtin':
        return this.builtin(e)
      case 'result':
        return this.result(e)
      case 'swizzle': {
        if (this.facts.builtin(e)) return this.builtin(e)
        const part = this.facts.part(e)
        return this.culprit(part ?? e.of)
      }
      case 'op':
        return this.op(e)
      case 'index':
      case 'member':
        return this.culprit(e.of)
      default:
        return this.anyOf(operands(e))
    }
  }

  private builtin(e: Expr): Expr | null {
    const found = this.facts.builtin(e)
    if (!found) return e
    if (COUNTS.has(found.name) || (this.launched && LAUNCHED.has(found.name))) return null
    return this.facts.lanes(e, found) ? null : e
  }

  private result(e: Extract<Expr, { kind: 'result' }>): Expr | null {
    if (this.facts.isLimited(this.facts.leafOf(e))) return null
    const by = this.facts.maker(e)
    return by?.kind === 'let' ? this.culprit(by.value) : e
  }

  private anyOf(list: readonly Expr[]): Expr | null {
    for (const e of list) {
      const found = this.culprit(e)
      if (found) return found
    }
    return null
  }

  private op(e: Extract<Expr, { kind: 'op' }>): Expr | null {
    if (BOUNDED.has(e.op)) return null
    const [a, b, c] = e.args
    if (a && b && EITHER.has(e.op)) return this.culprit(a) && this.culprit(b)
    if (a && b && e.op === 'rem') return this.culprit(a) && this.culprit(b)
    if (a && c && e.op === 'clamp') return this.culprit(c) && this.culprit(a)
    if (a && b && e.op === 'select') return this.anyOf([a, b])
    return this.anyOf(e.args)
  }

  /** Every leaf of `e` is on the lesser side of a comparison that holds. */
  learn(e: Expr, seen: Set<Expr> = new Set()): void {
    switch (e.kind) {
      case 'const':
      case 'param':
      case 'override':
      case 'constant':
        return
      case 'argument':
        return void this.facts.learn(this.facts.argument(e.name))
      case 'result': {
        // Whoever learnt it before has learnt what it was made of.
        if (!this.facts.learn(this.facts.leafOf(e))) return
        const by = this.facts.maker(e)
        if (by?.kind === 'let') this.learn(by.value, seen)
        return
      }
    }
    const builtin = this.facts.builtin(e)
    if (builtin) return void this.facts.lanes(e, builtin, true)
    const parts = operands(e)
    if (parts.length > 1) {
      if (seen.has(e)) return
      seen.add(e)
    }
    for (const o of parts) this.learn(o, seen)
  }

  /** Takes from a test what follows where it has the given outcome. */
  assume(test: Expr, holds: boolean): void {
    const e = this.facts.resolve(test)
    if (e.kind !== 'op') return
    const [a, b] = e.args
    if (!a) return
    if (e.op === 'not') {
      this.assume(a, !holds)
      return
    }
    if (e.op === 'all' && holds) {
      this.assume(a, true)
      return
    }
    if (e.op === 'any' && !holds) {
      this.assume(a, false)
      return
    }
    if (!b) return
    if (ALL_HOLD.has(e.op) ? holds : ANY_HOLDS.has(e.op) && !holds) {
      this.assume(a, holds)
      this.assume(b, holds)
      return
    }
    if (LESS.has(e.op)) {
      this.learn(holds ? a : b)
      return
    }
    if (GREATER.has(e.op)) {
      this.learn(holds ? b : a)
      return
    }
    if ((e.op === 'eq' && holds) || (e.op === 'ne' && !holds)) {
      this.learn(a)
      this.learn(b)
    }
  }
}

type Ops = ReadonlySet<PureName | 'product'>
const ops = (...names: PureName[]): Ops => new Set(names)
const EITHER = ops('min', 'bitAnd')
const ALL_HOLD = ops('and', 'boolAnd')
const ANY_HOLDS = ops('or', 'boolOr')
const LESS = ops('lt', 'le')
const GREATER = ops('gt', 'ge')
/** Results that are small whatever the arguments are. */
const BOUNDED = ops(
  'countLeadingZeros',
  'countOneBits',
  'countTrailingZeros',
  'sign',
  'step',
  'saturate',
  'unpack4xU8',
  'unpack4xI8',
)
const COUNTS: ReadonlySet<BuiltinName> = new Set<BuiltinName>(['num_workgroups', 'subgroup_size', 'num_subgroups'])
/** Ids below the number of workgroups, which the launch rule and the guard of folded launches limit. */
const LAUNCHED: ReadonlySet<BuiltinName> = new Set<BuiltinName>(['workgroup_id', 'workgroup_index'])
