import {
  type Block,
  EFFECTS,
  type Effect,
  type Func,
  isInt,
  type Kernel,
  type Load,
  type Result,
  type Stmt,
} from '@weft/dsl/ir'
import { Graph, type Rule, type Working } from './graph'
import { mapStmt } from './map'
import { placeKey } from './node'
import { knownConstant } from './operands'
import { rebuildPlace } from './places'
import { declaresSpecial, isSpecial } from './special'

/** A kernel as the passes and the emitter want it. */
export const working = (kernel: Kernel): Working =>
  'graph' in kernel ? (kernel as Working) : rewrite(kernel, [], false)

/**
 * Rewrites all expressions, operands first, until no rule applies; `share`: equal expressions become one node, and
 * read-only memory is read once. Everything that is done to single expressions goes through here, in one walk.
 *
 * An expression is pure and says nothing of a place or a time, so equal ones are equal wherever they stand; where a
 * shared one is evaluated, the emitter decides by dominance. A load is a statement: a later one of the same element
 * takes the value of an earlier one only where that is visible, and only from bindings that nobody writes.
 */
export function rewrite(kernel: Kernel, rules: readonly Rule[], share: boolean): Working {
  const graph = new Graph(rules, share)
  const bodies = new Bodies(kernel, graph)
  const functions = kernel.functions.map((f): Func => ({ ...f, body: bodies.body(f.body) }))
  return { ...kernel, functions, body: bodies.body(kernel.body), graph }
}

/** The statements, whose expressions the graph makes nodes of. */
class Bodies {
  readonly #graph: Graph
  /** What the blocks that are open have loaded from memory that nobody writes, by place. */
  readonly #loaded: Map<string, Result>[] = []
  readonly #readOnly = new Set<string>()

  constructor(kernel: Kernel, graph: Graph) {
    this.#graph = graph
    for (const v of kernel.variables) graph.see(v.id)
    graph.special = declaresSpecial(kernel)
    if (!graph.share) return
    for (const b of kernel.bindings) if (b.kind !== 'texture' && b.access === 'read') this.#readOnly.add(b.name)
  }

  body(block: Block): Block {
    this.#graph.startBody()
    return this.#block(block)
  }

  readonly #block = (block: Block): Block => {
    this.#loaded.push(new Map())
    const out: Stmt[] = []
    for (const s of block) this.#stmt(s, out)
    this.#loaded.pop()
    return out
  }

  #stmt(s: Stmt, out: Stmt[]): void {
    switch (s.kind) {
      case 'loop':
        return void out.push(this.#loop(s))
      case 'range':
        this.#graph.loops = true
        this.#graph.see(s.index.id)
        break
      case 'var':
        this.#graph.see(s.variable.id)
        if (isSpecial(s.variable.type)) this.#graph.special = true
        break
      case 'load':
        this.#load(s, out)
        return
      case 'let':
        this.#graph.see(s.result.id)
        break
      case 'store':
        if (s.place.root.kind === 'view' || isSpecial(s.place.type)) this.#graph.special = true
        break
      case 'effect':
      case 'call':
        if (s.result) this.#graph.see(s.result.id)
        if (s.kind === 'effect') this.#effect(s)
        break
      default:
    }
    const next = mapStmt(s, this.#graph.expr, this.#block)
    if (next.kind === 'let' && typeof next.value.type === 'string' && isInt(next.value.type)) {
      const value = knownConstant(next.value, this.#graph.constants)
      if (value) this.#graph.constants.set(next.result.id, value)
    }
    out.push(next)
  }

  #effect({ op, exchanged, place }: Effect): void {
    if (exchanged) this.#graph.see(exchanged.id)
    if ('feature' in EFFECTS[op] || place?.root.kind === 'view') this.#graph.special = true
  }

  /** What the header of a loop loads is visible in the rest of it. */
  #loop(s: Extract<Stmt, { kind: 'loop' }>): Stmt {
    this.#graph.loops = true
    this.#loaded.push(new Map())
    const header: Stmt[] = []
    for (const h of s.header) this.#stmt(h, header)
    const test = s.test && this.#graph.expr(s.test)
    const body = this.#block(s.body)
    const continuing = this.#block(s.continuing)
    const breakIf = s.breakIf && this.#graph.expr(s.breakIf)
    this.#loaded.pop()
    return { ...s, header, test, body, continuing, breakIf }
  }

  #load(s: Load, out: Stmt[]): void {
    this.#graph.see(s.result.id)
    const place = rebuildPlace(s.place, this.#graph.expr)
    if (place.root.kind === 'view') this.#graph.special = true
    const next: Load = place === s.place ? s : { kind: 'load', at: s.at, place, result: s.result }
    if (place.root.kind === 'binding' && this.#readOnly.has(place.root.name)) {
      const key = placeKey(place)
      for (const scope of this.#loaded) {
        const earlier = scope.get(key)
        if (!earlier) continue
        this.#graph.replace(s.result, earlier)
        return
      }
      this.#loaded.at(-1)?.set(key, s.result)
    }
    out.push(next)
  }
}
