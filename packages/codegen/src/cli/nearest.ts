/**
 * How many letters have to be put in, taken out, replaced, or swapped with their neighbour to make one word of another, each place
 * touched once (optimal string alignment).
 */
function distance(a: string, b: string): number {
  // rows[i][j]: between the first i letters of a and the first j letters of b
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const get = (i: number, j: number): number => rows[i]?.[j] as number
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const least = Math.min(get(i - 1, j) + 1, get(i, j - 1) + 1, get(i - 1, j - 1) + differs)
      rows[i]?.push(swapped ? Math.min(least, get(i - 2, j - 2) + 1) : least)
    }
  }
  return get(a.length, b.length)
}

/** Which of some words was meant, as far as one can tell: case is no difference, and a third of the letters may be wrong. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const away = words.map((other) => distance(word.toLowerCase(), other.toLowerCase()))
  const least = Math.min(...away)
  // of a word of one letter, another letter is another word
  const most = Math.min(word.length - 1, Math.max(1, Math.floor(word.length / 3)))
  return least <= most ? words[away.indexOf(least)] : undefined
}

/** `, did you mean 'show'?`, or nothing. */
export function didYouMean(word: string, words: readonly string[], dashes = ''): string {
  const meant = nearest(word, words)
  return meant === undefined ? '' : `, did you mean '${dashes}${meant}'?`
}
