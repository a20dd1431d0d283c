import type { Cases, Expr } from '../ir'
import {
  bitcast, bitcastRefusal, construct, convert, convertRefusal, element, evaluate, PURE, refusal, swizzle, type Row, type Value,
} from '../ops'
import { isValue, type ValueName } from '../types'
import type { Context } from './context'

/** Values of constant expressions, each found once; faults in them (`const-domain`) are reported on the way. */
export class Constants {
  private readonly values = new Map<Expr, Value | null>()

  constructor(readonly context: Context) {}

  /** The value of `e` where it is a constant expression of a value type, else null. Operands are asked first. */
  of(e: Expr): Value | null {
    switch (e.kind) {
      case 'const': return e
      case 'result': case 'builtin': case 'param': case 'override': case 'argument': case 'length': return null
    }
    const known = this.values.get(e)
    if (known !== undefined) return known
    const value = (VALUE[e.kind] as (e: Expr, c: Constants) => Value | null)(e, this)
    this.values.set(e, value)
    return value
  }

  /** The number that a constant scalar is, or null. */
  number(e: Expr): number | null {
    return this.of(e)?.lanes[0] ?? null
  }

  refuse(at: number, what: string, why: string): void {
    this.context.report('const-domain', `${what} of these constants has no value: ${why}`, at)
  }
}

const NEVER = (): null => null
/** The ops that refuse some constants even where their other arguments are not constant. */
const PARTLY: ReadonlySet<string> = new Set(Object.entries(PURE as Readonly<Record<string, Row>>).flatMap(([op, row]) => (row.refuseAny ? [op] : [])))

const VALUE: Cases<Expr, Value | null, [Constants]> = {
  const: (e) => e,
  builtin: NEVER,
  param: NEVER,
  override: NEVER,
  argument: NEVER,
  result: NEVER,
  length: NEVER,
  member: NEVER,
  constant: (e, c) => {
    const decl = c.context.constants.get(e.name)
    return decl ? c.of(decl.value) : null
  },
  op: (e, c) => {
    let known = 0
    for (const a of e.args) if (c.of(a) !== null) known++
    if (known === 0 || (known < e.args.length && !PARTLY.has(e.op))) return null
    const args = e.args.map((a) => c.of(a))
    const why = refusal(e.op, e.type, args, e.args.map((a) => a.type as ValueName))
    if (why !== null) c.refuse(e.at, `'${e.op}'`, why)
    return args.every((a): a is Value => a !== null) ? { type: e.type, lanes: evaluate(e.op, e.type, args) } : null
  },
  construct: (e, c) => {
    if (!isValue(e.type)) return null
    const args: Value[] = []
    for (const a of e.args) {
      const value = c.of(a)
      if (value === null) return null
      args.push(value)
    }
    return { type: e.type, lanes: construct(e.type, args) }
  },
  convert: (e, c) => {
    const value = c.of(e.arg)
    if (value === null) return null
    const why = convertRefusal(e.type, value)
    if (why !== null) c.refuse(e.at, `the conversion to ${e.type}`, why)
    return { type: e.type, lanes: convert(e.type, value) }
  },
  bitcast: (e, c) => {
    const value = c.of(e.arg)
    if (value === null) return null
    const why = bitcastRefusal(e.type, value)
    if (why !== null) c.refuse(e.at, `the bitcast to ${e.type}`, why)
    return { type: e.type, lanes: bitcast(e.type, value) }
  },
  swizzle: (e, c) => {
    const value = c.of(e.of)
    return value && { type: e.type, lanes: swizzle(value, e.lanes) }
  },
  index: (e, c) => {
    const index = c.number(e.index)
    const value = index === null ? null : c.of(e.of)
    const lanes = value && index !== null ? element(value, index) : null
    return lanes && isValue(e.type) ? { type: e.type, lanes } : null
  },
}
