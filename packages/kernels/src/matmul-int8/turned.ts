import { type Builder, u32 } from '@weft/dsl'
import type { U32 } from '../matmul-fast/numbers'

export type Four<T> = [T, T, T, T]

/** The words whose bytes are the first bytes of four words, the second ones, … : pairs are exchanged first, then pairs of pairs. */
export function turned(k: Builder, name: string, [w0, w1, w2, w3]: Four<U32>): Four<U32> {
  const low = (a: U32, b: U32) => u32`(${a} & 0x00ff00ff) | ((${b} & 0x00ff00ff) << 8)`
  const high = (a: U32, b: U32) => u32`((${a} >> 8) & 0x00ff00ff) | (${b} & 0xff00ff00)`
  const names = ['even01', 'odd01', 'even23', 'odd23']
  const [e01, o01, e23, o23] = [low(w0, w1), high(w0, w1), low(w2, w3), high(w2, w3)].map((pair, i) =>
    k.let(`${name}_${names[i]}`, pair),
  ) as [U32, U32, U32, U32]
  const front = (a: U32, b: U32) => u32`(${a} & 0xffff) | (${b} << 16)`
  const back = (a: U32, b: U32) => u32`(${a} >> 16) | (${b} & 0xffff0000)`
  return [front(e01, e23), front(o01, o23), back(e01, e23), back(o01, o23)]
}
