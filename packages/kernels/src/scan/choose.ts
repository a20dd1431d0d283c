import { SCAN_BLOCK } from './plan'

/**
 * How a sum of n elements is scanned: `blocks`, whose totals are scanned in the same way; `tiles`, whose sums come first, so that x is read
 * twice; `once`, in one pass, by workgroups that look for the sums of those before.
 */
export type ScanWay = 'blocks' | 'tiles' | 'once'

/**
 * From so many on, 16 MiB, x is read in one pass. On an H200 that is the faster way for fewer too, by one or two microseconds of fifteen;
 * there `tiles` is taken, in which nobody waits for anybody.
 */
const LARGE = 2 ** 22

/** Pure: blocks where there are one or two. */
export function chooseScan(n: number): ScanWay {
  if (n <= 2 * SCAN_BLOCK) return 'blocks'
  return n < LARGE ? 'tiles' : 'once'
}
