import type { Kernel } from './kernel'
import type { Expr } from './nodes'
import { EXPR_KINDS, operands } from './walk'

/**
 * A kernel as a JSON string and back. Expressions are kept as a table, so that sharing survives; within it and in
 * statements an expression is `{ $: index }`. NaN, ±∞ and −0, which JSON lacks, are `{ n: 'NaN' }` and the like.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
const FORMAT = 1

const KINDS: ReadonlySet<string> = new Set(EXPR_KINDS)

const odd = (x: number): boolean => !Number.isFinite(x) || Object.is(x, -0)

/** Steps of a place share the kind `index` with expressions, but have no operand `of`. */
const isExpr = (x: object): x is Expr => {
  const { kind } = x as { kind?: string }
  if (kind === undefined || !KINDS.has(kind) || !('type' in x)) return false
  return (kind !== 'index' && kind !== 'member') || 'of' in x
}

class Writer {
  readonly table: Json[] = []
  private readonly indices = new Map<Expr, number>()

  /** Launch rules have kinds of their own (`param`, `override`, `length`), without a type: they pass as plain data. */
  value(x: unknown): Json {
    if (typeof x === 'number') return odd(x) ? { n: Object.is(x, -0) ? '-0' : String(x) } : x
    if (x === null || typeof x === 'string' || typeof x === 'boolean') return x
    if (Array.isArray(x)) return x.map((item) => this.value(item))
    if (typeof x !== 'object') throw new TypeError(`a ${typeof x} cannot be serialized`)
    return isExpr(x) ? { $: this.expr(x) } : this.fields(x)
  }

  private fields(x: object): Json {
    const out: Record<string, Json> = {}
    for (const [key, item] of Object.entries(x)) if (item !== undefined) out[key] = this.value(item)
    return out
  }

  /** With a stack of its own: a chain of operations may be longer than that of calls. */
  private expr(of: Expr): number {
    const open = [of]
    for (let e = open.pop(); e; e = open.pop()) {
      if (this.indices.has(e)) continue
      const missing = operands(e).filter((o) => !this.indices.has(o))
      if (missing.length === 0) this.indices.set(e, this.table.push(this.fields(e)) - 1)
      else for (const o of [e, ...missing.reverse()]) open.push(o)
    }
    return this.indices.get(of) as number
  }
}

/** The kernel as JSON text; equal kernels give equal text. */
export function serialize(kernel: Kernel): string {
  const writer = new Writer()
  const body = writer.value(kernel)
  return JSON.stringify({ format: FORMAT, exprs: writer.table, kernel: body })
}

/** The kernel that `serialize` wrote, frozen. Throws a RangeError for another format. */
export function deserialize(text: string): Kernel {
  const data = JSON.parse(text) as { readonly format?: number; readonly exprs: readonly Json[]; readonly kernel: Json }
  if (data.format !== FORMAT)
    throw new RangeError(`a serialized kernel of format ${String(data.format)}; this is format ${FORMAT}`)
  const exprs: unknown[] = []
  const read = (x: Json): unknown => {
    if (x === null || typeof x !== 'object') return x
    if (Array.isArray(x)) return Object.freeze(x.map(read))
    const fields = x as { readonly [key: string]: Json }
    if (typeof fields.$ === 'number') return exprs[fields.$]
    if (typeof fields.n === 'string' && Object.keys(fields).length === 1) return Number(fields.n)
    return Object.freeze(Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, read(item)])))
  }
  for (const e of data.exprs) exprs.push(read(e))
  return read(data.kernel) as Kernel
}
