/** −∞ < … < ∞ < NaN, with −0 and +0 equal. */
export const compareNumbers = (a: number, b: number): number => {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** The permutation that sorts x: the index of each element of the result. Equal elements keep their order, also descending. */
export function argsortReference(x: ArrayLike<number>, descending = false): Uint32Array {
  const order = Uint32Array.from({ length: x.length }, (_, i) => i)
  return order.sort((a, b) => (descending ? compareNumbers(x[b]!, x[a]!) : compareNumbers(x[a]!, x[b]!)) || a - b)
}

/** How often each id below `bins` occurs. */
export function histogramReference(ids: ArrayLike<number>, bins: number): Uint32Array {
  const counts = new Uint32Array(bins)
  for (let i = 0; i < ids.length; i++) if (ids[i]! < bins) counts[ids[i]!]!++
  return counts
}
