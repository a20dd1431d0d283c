import { type Problem, trialValues } from '../problem'
import type { SortPairsArgs } from './host'
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
