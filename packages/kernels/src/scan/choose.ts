import { SCAN_BLOCK } from './plan'

/** How a sum of n elements is scanned: `blocks`, whose totals are scanned in the same way; `tiles`, whose sums come first, so that x is read twice. */
export type ScanWay = 'blocks' | 'tiles'

/** Pure: blocks where there are one or two. */
export const chooseScan = (n: number): ScanWay => (n <= 2 * SCAN_BLOCK ? 'blocks' : 'tiles')
