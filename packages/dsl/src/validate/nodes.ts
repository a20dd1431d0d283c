import type { Expr } from '../ir'
import type { Value } from '../ops'

type Compound = Extract<Expr, { readonly at: number }>

/**
 * What the checks know of an expression that is made of others. Shared expressions are looked at once; what depends on the
 * point of the walk says since when it holds (see `Nodes.tick`).
 */
export class Node {
  /** Its value, null where it is not constant; undefined: not looked at. */
  value: Value | null | undefined = undefined
  /** What it depends on (see flow/mask.ts). */
  mask = 0
  maskedAt = 0
  /** Its greatest value (see flow/ranges.ts). */
  greatest = 0
  measuredAt = 0
  /** When it was last learnt that what it is made of is limited. */
  learntAt = 0

  constructor(readonly of: Compound) {}
}

/** The nodes of a kernel. Nearly every expression has a call of the builder to itself, which leads to its node. */
export class Nodes {
  readonly #byCall: (Node | undefined)[] = []
  readonly #others = new Map<Expr, Node>()
  #time = 0

  of(e: Compound): Node {
    const { at } = e
    const found = at < 0 ? undefined : this.#byCall[at]
    if (found?.of === e) return found
    if (at >= 0 && found === undefined) return (this.#byCall[at] = new Node(e))
    const other = this.#others.get(e) ?? new Node(e)
    this.#others.set(e, other)
    return other
  }

  /** A later time than all before. */
  tick(): number {
    return ++this.#time
  }
}
