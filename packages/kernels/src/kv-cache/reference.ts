import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

export interface KvAppendReferenceArgs {
  /** `[heads, tokens, headSize]`: batch and heads are joined */
  readonly x: ArrayLike<number>
  /** `[heads, capacity, headSize]`, as it is before */
  readonly cache: ArrayLike<number>
  readonly heads: number
  readonly tokens: number
  readonly capacity: number
  readonly headSize: number
  /** tokens that came before */
  readonly past: number
}

const KEYS = keysOf<KvAppendReferenceArgs>({
  x: true,
  cache: true,
  heads: true,
  tokens: true,
  capacity: true,
  headSize: true,
  past: true,
})

/**
 * The cache after the tokens at positions `past …` were put into the slots `position % capacity`. Of more tokens than the cache has
 * slots the last ones stay.
 *
 * @returns `[heads, capacity, headSize]`
 */
export function kvAppendReference(args: KvAppendReferenceArgs): Float64Array {
  checkKeys('kvAppendReference', args, KEYS)
  const { x, cache, heads, tokens, capacity, headSize, past } = args
  expectLength('x', x, heads * tokens * headSize)
  expectLength('cache', cache, heads * capacity * headSize)
  const out = Float64Array.from(cache)
  if (capacity === 0) return out
  for (let h = 0; h < heads; h++) {
    for (let t = 0; t < tokens; t++) {
      const slot = (past + t) % capacity
      for (let c = 0; c < headSize; c++) {
        out[(h * capacity + slot) * headSize + c] = x[(h * tokens + t) * headSize + c]!
      }
    }
  }
  return out
}
