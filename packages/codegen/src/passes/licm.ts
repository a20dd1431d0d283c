import type { Expr, Stmt } from '@weft/dsl/ir'
import type { Graph } from './graph'
import type { Node } from './node'

/** Only what costs more than a name is worth a line: a division, a call, several operations. */
const WORTH = 4

interface Loop {
  /** Statements to run before it. */
  readonly before: Stmt[]
  /** What has been moved before it. */
  readonly moved: Map<Node, Node>
  /** What changes in it, with what has been moved by name: once for each, so that what is shared stays so. */
  readonly rebuilt: Map<Node, Node>
}

/**
 * The loops that a walk is in. Expensive expressions that a loop does not change are moved before it: expressions are
 * pure and have a value for all operands, so that evaluating one that the loop might not have reached does no harm;
 * loads stay where they are. What is cheap is left to the driver, which does this too, and the WGSL stays closer to
 * what the author wrote.
 */
export class Loops {
  readonly #open: Loop[] = []

  constructor(
    readonly graph: Graph,
    readonly hoist: boolean,
  ) {}

  get depth(): number {
    return this.#open.length
  }

  /** What `walk` makes of a loop, after what it does not change. */
  within(out: Stmt[], walk: () => readonly Stmt[]): void {
    const before: Stmt[] = []
    this.#open.push({ before, moved: new Map(), rebuilt: new Map() })
    const made = walk()
    this.#open.pop()
    out.push(...before, ...made)
  }

  /** A node, or the name of what was moved before the outermost loop that does not change it. */
  readonly hoisted = (e: Expr): Node => {
    const node = e as Node
    if (!this.hoist || this.#open.length === 0 || node.cost < WORTH) return node
    const loop = this.#open[node.depth]
    if (!loop) return this.#rebuilt(node, this.#open[this.#open.length - 1] as Loop)
    const known = loop.moved.get(node)
    if (known) return known
    const result = this.graph.result(node.type, node.depth)
    loop.moved.set(node, result)
    loop.before.push({ kind: 'let', at: node.at, name: nameOf(node), value: node, result })
    return result
  }

  #rebuilt(node: Node, { rebuilt }: Loop): Node {
    let made = rebuilt.get(node)
    if (made === undefined) {
      made = this.graph.rebuild(node, this.hoisted)
      rebuilt.set(node, made)
    }
    return made
  }
}

/** What it is, in a word. */
const nameOf = (e: Expr): string =>
  e.kind !== 'op' ? 'fixed' : e.op === 'div' ? 'quotient' : e.op === 'rem' ? 'remainder' : 'fixed'
