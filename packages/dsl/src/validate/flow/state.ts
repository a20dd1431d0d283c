/**
 * What is known of the variables of a function at a point, two numbers each: the mask of what is in it, and the value
 * itself, as the number of the leaf (see `Ranges`) that stands for it, or 0. Those that are not declared yet are not there,
 * or as they were in another block. Null where control does not get.
 */
export type State = number[] | null

/** What holds on either way to a point. Takes both: `a` is changed, or `b` is given. */
export function join(a: State, b: State): State {
  if (a === null || b === null) return a ?? b
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i += 2) {
    a[i] = (a[i] as number) | (b[i] as number)
    if (a[i + 1] !== b[i + 1]) a[i + 1] = 0
  }
  return a
}

/** Whether a variable depends on more in `b` than in `a`. */
export function grows(a: number[], b: number[]): boolean {
  for (let i = 0; i < a.length; i += 2) if ((b[i] as number) & ~(a[i] as number)) return true
  return false
}
