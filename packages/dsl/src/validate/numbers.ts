import type { Expr } from '../ir'

type Numbered = Extract<Expr, { readonly at: number }>

/**
 * Numbers from 0 on for the nodes of one kernel, so that what is known of them stands in arrays: looking a node up in a
 * Map costs more than most checks. Nearly every node has a call of the builder to itself, which leads to its number.
 */
export class Numbers {
  private next = 0
  private readonly owners: (Expr | undefined)[] = []
  private readonly numbers: number[] = []
  private readonly others = new Map<Expr, number>()

  of(e: Numbered): number {
    const { at } = e
    if (at >= 0) {
      const owner = this.owners[at]
      if (owner === e) return this.numbers[at] as number
      if (owner === undefined) {
        this.owners[at] = e
        return (this.numbers[at] = this.next++)
      }
    }
    let n = this.others.get(e)
    if (n === undefined) this.others.set(e, (n = this.next++))
    return n
  }
}
