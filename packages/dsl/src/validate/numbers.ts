import type { Expr } from '../ir'

type Numbered = Extract<Expr, { readonly at: number }>

/**
 * Numbers for the nodes of one kernel, so that what is known of them stands in arrays: looking a node up in a Map costs
 * more than most checks. Nearly every node has a call of the builder to itself; twice its number is that of the node.
 */
export class Numbers {
  private readonly owners: (Expr | undefined)[] = []
  private readonly others = new Map<Expr, number>()

  of(e: Numbered): number {
    const { at } = e
    if (at >= 0) {
      const owner = this.owners[at]
      if (owner === e) return 2 * at
      if (owner === undefined) {
        this.owners[at] = e
        return 2 * at
      }
    }
    let n = this.others.get(e)
    if (n === undefined) this.others.set(e, (n = 2 * this.others.size + 1))
    return n
  }
}
