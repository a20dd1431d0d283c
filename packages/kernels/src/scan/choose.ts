import { SCAN_STEP_TILE, SCAN_TILE } from './plan'

/**
 * How a sum of n elements is scanned: `blocks`, the totals of blocks scanned in the same way; `tiles`, their sums first, so that x is read twice;
 * `chunks`, the same for so many tiles at a time, whose second reading finds them in a cache.
 */
export type ScanChoice =
  | { readonly way: 'blocks' }
  | { readonly way: 'tiles' }
  | { readonly way: 'chunks'; readonly tiles: number }

/** Elements of a chunk: with y of the one before and x of both, 48 MiB are on their way, which is a last-level cache of the larger kind. */
const CHUNK = 2 ** 22

/** Pure. `chunk`: elements of a chunk, in place of those that fit the usual cache. */
export function chooseScan(n: number, chunk?: number): ScanChoice {
  const least = chunk === undefined ? CHUNK : 3
  if (n > least) {
    const tiles = Math.ceil(n / SCAN_STEP_TILE)
    const chunks = Math.ceil(n / Math.max(chunk ?? CHUNK, SCAN_STEP_TILE))
    return { way: 'chunks', tiles: Math.ceil(tiles / chunks) }
  }
  return n > SCAN_TILE ? { way: 'tiles' } : { way: 'blocks' }
}
