import { checkSizes } from '../host'
import type { Window } from './reference'

/** Rows and columns. */
export type Pair = readonly [number, number]
export type VisionType = 'f32' | 'f16'

export const area = ([rows, columns]: Pair): number => rows * columns

export function checkWindow(
  what: string,
  size: Pair,
  { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1] }: Window,
): void {
  const pairs = { size, filter, stride, pad, dilation }
  for (const [name, pair] of Object.entries(pairs)) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new RangeError(`${what}: ${name} must be [rows, columns], got ${pair}`)
    checkSizes(what, { [`${name}[0]`]: pair[0], [`${name}[1]`]: pair[1] })
  }
  for (const [name, pair] of Object.entries({ filter, stride, dilation })) {
    if (pair.some((extent) => extent < 1))
      throw new RangeError(`${what}: ${name} must be at least 1, got [${pair.join(', ')}]`)
  }
}

export function checkResult(what: string, [rows, columns]: Pair): void {
  if (rows < 1 || columns < 1) throw new RangeError(`${what}: the filter is larger than the image and its padding`)
}
