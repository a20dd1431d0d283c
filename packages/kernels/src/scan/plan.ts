/** The lengths that are scanned for an input of `n`: n, the number of its blocks, the number of theirs, … down to one block. */
export function scanLevels(n: number, block: number): readonly number[] {
  const levels = [n]
  for (let length = n; length > block; ) {
    length = Math.ceil(length / block)
    levels.push(length)
  }
  return levels
}
