import { expected, isCount } from './handle'

/** Register blocks: JavaScript arrays of variables and expressions, with loops over them that are unrolled. */

type Small = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15

/** An array whose first 16 elements are known to TypeScript to exist; `each` runs over its indices. */
export type Tuple<T> = readonly [T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, ...T[]]

/** The array of `f(0) … f(n - 1)`. */
export function tuple<T>(n: number, f: (index: Small) => T): Tuple<T> {
  return each(n).map((i) => f(i)) as unknown as Tuple<T>
}

/** The indices 0 … n − 1, for an ordinary JavaScript loop: `for (const i of each(4)) …`. */
export function each(n: number): readonly Small[] {
  if (n !== 0 && !isCount(n))
    expected(
      'bad-argument',
      'the number of rounds of each or tuple',
      'a whole number of JavaScript',
      n,
      "what is known on the device alone ends a loop there: k.range('i', n, (i) => …)",
    )
  const indices: number[] = []
  for (let i = 0; i < n; i++) indices.push(i)
  return indices as Small[]
}
