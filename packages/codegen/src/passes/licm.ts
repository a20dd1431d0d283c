import type { Expr, Stmt } from '@weft/dsl/ir'
import type { Graph } from './graph'
import type { Node } from './node'

/** Only what costs more than a name is worth a line: a division, a call, several operations. */
const WORTH = 4

interface Loop {
  /** Statements to run before it. */
  readonly before: Stmt[]
  /** What stands for nodes: names of what has been moved before it, and what changes in it, made of such names. */
  readonly made: Map<Node, Node>
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
    this.#open.push({ before, made: new Map() })
    const made = walk()
    this.#open.pop()
    out.push(...before, ...made)
  }

  /** A node, or the name of what was moved before the outermost loop that does not change it. */
  readonly hoisted = (e: Expr): Node => {
    const node = e as Node
    if (!this.hoist || this.#open.length === 0 || node.cost < WORTH) return node
    // a constant offset costs nothing where it stands, and a name of its own would cost a register: only the rest moves
    const changes = node.depth === this.#open.length || isOffset(node)
    const loop = this.#open[Math.min(node.depth, this.#open.length - 1)] as Loop
    let made = loop.made.get(node)
    if (made === undefined) {
      made = changes ? this.graph.rebuild(node, this.hoisted) : this.#named(node, loop)
      loop.made.set(node, made)
    }
    return made
  }

  #named(value: Node, { before }: Loop): Node {
    const result = this.graph.result(value.type, value.depth)
    before.push({ kind: 'let', at: value.at, name: nameOf(value), value, result })
    return result
  }
}

const isOffset = (e: Node): boolean =>
  e.kind === 'op' && e.op === 'add' && e.args[1]?.kind === 'const' && (e.type === 'u32' || e.type === 'i32')

/** What it is, in a word. */
const nameOf = (e: Expr): string => (e.kind === 'op' && NAMES[e.op]) || 'fixed'
const NAMES: Readonly<Record<string, string>> = { div: 'quotient', rem: 'remainder', add: 'base' }
