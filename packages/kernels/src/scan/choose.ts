import { SCAN_BLOCK } from './plan'

/**
 * How a sum of n elements is scanned: `blocks`, whose totals are scanned in the same way; `tiles`, whose sums come first, so that x is read
 * twice; `once`, in one pass, by workgroups that look for the sums of those before. `tiles` is for devices on which `verify` refuses `once`.
 */
export type ScanWay = 'blocks' | 'tiles' | 'once'

/** Pure: blocks where there are one or two. */
export const chooseScan = (n: number): ScanWay => (n <= 2 * SCAN_BLOCK ? 'blocks' : 'once')
