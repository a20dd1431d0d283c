import type { Block, Expr, Kernel, Load, Place, Result, Root, Stmt, Type } from '@weft/dsl/ir'
import { rebuild } from './children'
import { mapBodies, mapStmt } from './rewrite'

/**
 * Makes equal expressions one node, so that the emitter binds them once, and reads read-only memory once.
 *
 * An expression is pure and says nothing of a place or a time, so equal ones are equal wherever they stand; where a
 * shared one is evaluated, the emitter decides by dominance. A load is a statement: a later one of the same element
 * takes the value of an earlier one only where that is visible, and only from bindings that nobody writes.
 */
export function cse(kernel: Kernel): Kernel {
  const readOnly = new Set(
    kernel.bindings.filter((b) => b.kind !== 'texture' && b.access === 'read').map((b) => b.name),
  )
  return mapBodies(kernel, (body) => cseBody(body, readOnly))
}

/** Each body has numbers of its own: arguments are the same only within a function. */
function cseBody(body: Block, readOnly: ReadonlySet<string>): Block {
  const consed = new Map<Expr, Expr>()
  const numbering = new Numbering()
  const numbers: Numbers = numbering.of
  const same = new Map<number, Result>()

  const go = (e: Expr): Expr => {
    const known = consed.get(e)
    if (known) return known
    const next = e.kind === 'result' ? (same.get(e.id) ?? e) : rebuild(e, go)
    const first = numbering.same(next)
    consed.set(e, first)
    return first
  }

  /** What was loaded in the block that is open and in those around it. */
  const loaded: Map<string, Result>[] = []
  const find = (key: string): Result | undefined => {
    for (const scope of loaded) {
      const found = scope.get(key)
      if (found) return found
    }
    return undefined
  }

  const block = (b: Block): Block => {
    loaded.push(new Map())
    const out = statements(b)
    loaded.pop()
    return out
  }

  const statements = (b: Block): Block => {
    let changed = false
    const out: Stmt[] = []
    for (const s of b) {
      if (s.kind === 'loop') {
        // what the header loads is visible in the rest of the loop
        loaded.push(new Map())
        const header = statements(s.header)
        const next = mapStmt(header === s.header ? s : { ...s, header }, go, (inner) =>
          inner === header ? header : block(inner),
        )
        loaded.pop()
        if (next !== s) changed = true
        out.push(next)
        continue
      }
      const next = mapStmt(s, go, block)
      if (next !== s) changed = true
      if (next.kind === 'load' && isReadOnly(next.place.root, readOnly)) {
        const key = loadKey(next, numbers)
        const earlier = find(key)
        if (earlier) {
          same.set(next.result.id, earlier)
          changed = true
          continue
        }
        loaded.at(-1)?.set(key, next.result)
      }
      out.push(next)
    }
    return changed ? out : b
  }
  return block(body)
}

const isReadOnly = (root: Root, readOnly: ReadonlySet<string>): boolean =>
  root.kind === 'binding' && readOnly.has(root.name)

const typeKey = (t: Type): string => (typeof t === 'string' ? t : JSON.stringify(t))

type Numbers = ReadonlyMap<Expr, number>

/** Numbers of nodes up to 2^26 make pairs that are exact integers. */
const PAIR = 2 ** 26

/** Gives equal nodes, whose operands are one node each already, the same number. */
class Numbering {
  readonly of = new Map<Expr, number>()
  readonly #tables = new Map<string, Map<number | string, number>>()
  readonly #first: Expr[] = []

  /** The first node that is equal to `e`. */
  same(e: Expr): Expr {
    const table = this.#table(tableOf(e))
    const key = this.#key(e)
    const known = table.get(key)
    if (known !== undefined) return this.#first[known] as Expr
    const number = this.#first.push(e) - 1
    table.set(key, number)
    this.of.set(e, number)
    return e
  }

  #table(name: string): Map<number | string, number> {
    let table = this.#tables.get(name)
    if (!table) this.#tables.set(name, (table = new Map()))
    return table
  }

  #number(e: Expr): number {
    return this.of.get(e) as number
  }

  #key(e: Expr): number | string {
    switch (e.kind) {
      case 'const':
        return e.lanes.length === 1 && e.lanes[0] !== 0 ? (e.lanes[0] as number) : e.lanes.map(exact).join()
      case 'builtin':
      case 'param':
      case 'override':
      case 'constant':
      case 'argument':
        return e.name
      case 'result':
        return e.id
      case 'op':
      case 'construct':
        return this.#list(e.args)
      case 'convert':
      case 'bitcast':
        return this.#number(e.arg)
      case 'swizzle':
      case 'member':
        return this.#number(e.of)
      case 'index':
        return this.#number(e.of) * PAIR + this.#number(e.index)
      case 'length':
        return placeKey(e.of, this.of)
    }
  }

  #list(args: readonly Expr[]): number | string {
    if (args.length === 1) return this.#number(args[0] as Expr)
    // from 1 on, so that no pair is the number of a single argument: vec2u(a, b) is not vec2u(b)
    if (args.length === 2) return (this.#number(args[0] as Expr) + 1) * PAIR + this.#number(args[1] as Expr)
    let key = ''
    for (let i = 0; i < args.length; i++) key += `${this.#number(args[i] as Expr)},`
    return key
  }
}

/** What nodes must have in common beside their operands. */
function tableOf(e: Expr): string {
  switch (e.kind) {
    case 'op':
      return e.op
    case 'const':
    case 'convert':
    case 'bitcast':
    case 'construct':
      return e.kind + typeKey(e.type)
    case 'swizzle':
      return `.${e.lanes.join('')}`
    case 'member':
      return `.${e.name}`
    default:
      return e.kind
  }
}

const exact = (x: number): string => (Object.is(x, -0) ? '-0' : String(x))

function placeKey(place: Place, numbers: Numbers): string {
  const { root } = place
  let key = root.kind === 'variable' ? `v${root.id}` : `${root.kind}${root.name}`
  if (root.kind === 'view') key += `${numbers.get(root.offset)}${typeKey(root.type)}`
  for (const step of place.steps) key += step.kind === 'member' ? `.${step.name}` : `[${numbers.get(step.index)}`
  return key
}

const loadKey = (s: Load, numbers: Numbers): string => placeKey(s.place, numbers)
