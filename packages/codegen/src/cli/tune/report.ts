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
function nothingOf({ refused, state, next, round }: TunedShape): string {
  if (state !== 'done') {
    const where = next.length > 0 ? `in round ${round + 1}` : 'while kernels were compiled and checked'
    return `no kernel was timed: the time was up ${where}`
  }
  return refused.length > 0 ? 'no kernel is right' : 'this device can run none of the kernels'
}

const speedup = (ratio: number): string => `${(1 / ratio).toFixed(2)}×`

/** Beside the incumbent; of the incumbent itself how far it seemed to differ from itself, which is noise. */
function comparison(one: Timed, { incumbent, candidates, next }: TunedShape): string {
  const [low, median, high] = one.ratio
  if (one.hash === incumbent?.hash)
    return `1.00×, the incumbent; beside itself ${speedup(high)} to ${speedup(low)}, which is noise`
  const last = candidates[0]?.round
  if (one.round === last) return speedup(median)
  const left = next.includes(one.hash) ? 'in' : 'left out after'
  return `${speedup(median)}, ${left} round ${one.round + 1} with ${one.samples} sample${one.samples === 1 ? '' : 's'}`
}

/** Who won, or who is ahead when the time is up. */
function winnerLine(result: TunedShape, timed: (one: Timed) => string): string {
  const { winner, incumbent, state, candidates } = result
  if (winner === null) return nothingOf(result)
  const same = winner.hash === incumbent?.hash
  const than = same ? ', the incumbent' : incumbent ? `; ${speedup(winner.ratio[1])} of the incumbent` : ''
  if (state !== 'done') return `ahead ${timed(winner)}${than}; not decided when the time was up`
  if (!same) return `takes ${timed(winner)}${than}`
  const others = candidates.length > 1 ? 'nothing is faster beyond the noise' : 'there is no other'
  return `stays ${timed(winner)}; ${others}`
}

/** The refused kernels that are listed; the file has them all, and the progress has told of them. */
const SHOWN = 5

const LATER = 'the time was up; give more --seconds, or go on with --out and --resume'

/** The lines of one shape: who won, the next ones, and what became of the rest. */
export function shapeLines(tunable: Tunable, result: TunedShape): string[] {
  const { winner, candidates, refused, infeasible } = result
  const { work = {} } = candidates.length > 0 ? tunable.problem(result.shape) : {}
  const timed = (one: Timed): string =>
    `${one.kernel}: ${time(one.ms)}${rateOf(work, one.ms)}, error ${one.error.toPrecision(2)} of its bound`
  const lines = [
    `${titleOf(tunable)}, ${shapeText(result.shape)}${result.state === 'done' ? '' : ` (${result.state})`}`,
  ]
  lines.push(`  ${winnerLine(result, timed)}`)
  for (const one of candidates.filter(({ hash }) => hash !== winner?.hash).slice(0, 3))
    lines.push(`  not   ${timed(one)}; ${comparison(one, result)}`)
  lines.push(`  timed ${candidates.length} kernels`)
  if (result.notReached > 0) lines.push(`  not reached ${result.notReached}: ${LATER}`)
  else if (result.state !== 'done') lines.push(`  not ended: ${LATER}`)
  for (const { kernel, because } of refused.slice(0, SHOWN)) lines.push(`  refused ${kernel || 'a kernel'}: ${because}`)
  if (refused.length > SHOWN) lines.push(`  refused ${refused.length - SHOWN} more`)
  for (const { because, count } of infeasible) lines.push(`  infeasible ${count}: ${because}`)
  return lines
}

export function headLine(runtime: Runtime, clock: string): string {
  const by = clock === 'timestamps' ? 'by timestamps of passes' : 'by how long the host waits for a pass'
  return `on ${engineText(runtime)}, ${by}`
}
