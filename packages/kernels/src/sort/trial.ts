import { type Problem, trialValues } from '../problem'
import { SCAN_ONCE_TILE } from '../scan/plan'
import type { ScanU32Args, SortPairsArgs } from './host'
import { tileOf } from './plan'

/** What `verify: true` asks of a kernel that places keys: one digit of more than a tile of keys, of which many are equal. */
export function sortProblem(): Problem<SortPairsArgs> {
  const [n, bits] = [tileOf('subgroups') + 77, 8]
  const keys = Array.from(trialValues(1, n), (v, i) => ((v + 1) * 1024 * (i % 3 === 0 ? 1 : 977)) >>> 0)
  const digit = (i: number): number => (keys[i] as number) % 2 ** bits
  const order = Array.from(keys, (_, i) => i).sort((a, b) => digit(a) - digit(b) || a - b)
  const exact = (expected: readonly number[]) => ({ expected, type: 'u32', bound: () => 0 }) as const
  return {
    inputs: { keys: { values: keys, type: 'u32' }, values: { values: keys.map((_, i) => i), type: 'u32' } },
    results: { sortedKeys: exact(order.map((i) => keys[i] as number)), sortedValues: exact(order) },
    args: (buffers) => ({
      ...(buffers as Pick<SortPairsArgs, 'keys' | 'values' | 'sortedKeys' | 'sortedValues'>),
      ...{ n, bits },
    }),
  }
}

/** What it asks of a scan of u32: sums of three tiles that wrap round. */
export function scanU32Problem(): Problem<ScanU32Args> {
  const n = 2 * SCAN_ONCE_TILE + 4 * 77
  const values = Array.from(trialValues(1, n), (v) => ((v + 1) * 2 ** 30) >>> 0)
  let sum = 0
  const expected = values.map((v) => {
    const before = sum
    sum = (sum + v) % 2 ** 32
    return before
  })
  return {
    inputs: { x: { values, type: 'u32' } },
    results: { y: { expected, type: 'u32', bound: () => 0 } },
    args: (buffers) => ({ ...(buffers as Pick<ScanU32Args, 'x' | 'y'>), n }),
  }
}
