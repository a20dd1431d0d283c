import { type Problem, sumError, trialValues } from '../problem'
import type { ScanArgs } from './host'
import { scanReference } from './reference'

/** What `verify: true` asks of a scan of n elements. */
export function scanProblem(n: number): Problem<ScanArgs> {
  const x = trialValues(1, n)
  const sizes = scanReference({ x: x.map(Math.abs) })
  return {
    inputs: { x: { values: x } },
    results: { y: { expected: scanReference({ x }), bound: (i) => sumError(n) * (sizes[i] as number) } },
    args: (buffers) => ({ ...(buffers as Pick<ScanArgs, 'x' | 'y'>), n }),
  }
}
