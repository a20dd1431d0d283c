import { badArgument } from '../host'

/** Rows and columns. */
export type Pair = readonly [number, number]
export type VisionType = 'f32' | 'f16'

export const area = ([rows, columns]: Pair): number => rows * columns

export function checkResult(what: string, [rows, columns]: Pair): void {
  if (rows < 1 || columns < 1) throw badArgument(`${what}: the filter is larger than the image and its padding`)
}
