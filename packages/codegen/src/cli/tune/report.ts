import type { Runtime } from '@weft/runtime'
import type { Timed, TunedShape } from '../../tune/results'
import type { Problem, Tunable } from '../../tune/tunable'
import { engineText } from '../run/engine'
import { shapeText, titleOf } from './problem'

const time = (ms: number): string => (ms < 1 ? `${(ms * 1000).toPrecision(4)} µs` : `${ms.toPrecision(4)} ms`)

function rateOf({ operations, bytes }: NonNullable<Problem['work']>, ms: number): string {
  const rates = [
    operations === undefined ? '' : `, ${(operations / ms / 1e9).toPrecision(3)} TFLOP/s`,
    bytes === undefined ? '' : `, ${(bytes / ms / 1e6).toPrecision(3)} GB/s`,
  ]
  return rates.join('')
}

/** Why there is no winner. */
function nothingOf({ candidates, refused, state }: TunedShape): string {
  if (state !== 'done') {
    const until = candidates.length > 0 ? 'not decided' : 'no kernel was timed: they were still compiled and checked'
    return `${until} when the time was up; give more --seconds`
  }
  return refused.length > 0 ? 'no kernel is right' : 'this device can run none of the kernels'
}

const speedup = ({ ratio }: Timed): string => `${(1 / ratio[1]).toFixed(2)}×`

/** The refused kernels that are listed; the file has them all, and the progress has told of them. */
const SHOWN = 5

/** The lines of one shape: who won, the next ones, and what became of the rest. */
export function shapeLines(tunable: Tunable, result: TunedShape): string[] {
  const { winner, incumbent, candidates, refused, infeasible } = result
  const { work = {} } = candidates.length > 0 ? tunable.problem(result.shape) : {}
  const timed = (one: Timed): string =>
    `${one.kernel}: ${time(one.ms)}${rateOf(work, one.ms)}, error ${one.error.toPrecision(2)} of its bound`
  const lines = [
    `${titleOf(tunable)}, ${shapeText(result.shape)}${result.state === 'done' ? '' : ` (${result.state})`}`,
  ]
  if (winner === null) lines.push(`  ${nothingOf(result)}`)
  else if (winner.hash === incumbent?.hash) lines.push(`  stays ${timed(winner)}; nothing is faster beyond the noise`)
  else lines.push(`  takes ${timed(winner)}${incumbent ? `; ${speedup(winner)} of the incumbent` : ''}`)
  for (const one of candidates.filter(({ hash }) => hash !== winner?.hash).slice(0, 3))
    lines.push(`  not   ${timed(one)}; ${speedup(one)}${one.hash === incumbent?.hash ? ', the incumbent' : ''}`)
  lines.push(`  timed ${candidates.length} kernels`)
  for (const { kernel, because } of refused.slice(0, SHOWN)) lines.push(`  refused ${kernel || 'a kernel'}: ${because}`)
  if (refused.length > SHOWN) lines.push(`  refused ${refused.length - SHOWN} more`)
  for (const { because, count } of infeasible) lines.push(`  infeasible ${count}: ${because}`)
  return lines
}

export function headLine(runtime: Runtime, clock: string): string {
  const by = clock === 'timestamps' ? 'by timestamps of passes' : 'by how long the host waits for a pass'
  return `on ${engineText(runtime)}, ${by}`
}
