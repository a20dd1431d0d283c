import { type Block, blocksOf, type Const, type Expr, type Range } from '@weft/dsl/ir'
import type { Node } from './node'
import { type Facts, rangeOf, type Span } from './ranges'

/** Unrolling: the walk writes out the ranges that ask for it, where their bounds are constants. */

/** The most rounds and statements that a loop is written out to; beyond, it stays a loop. */
export const MOST_ROUNDS = 256
const MOST_STATEMENTS = 4096

/** How a range runs: `count` rounds, the index `start + round · by`. */
export interface Rounds {
  readonly start: Expr
  readonly by: number
  readonly count: number
}

/** The rounds of a range; null where their number is not known. Without facts, only constants are. */
export function roundsOf(start: Expr, end: Expr, step: Expr, facts: Facts | null = null): Rounds | null {
  const known = (e: Expr): Span | null =>
    facts ? rangeOf(e as Node, facts) : e.kind === 'const' ? { low: first(e), high: first(e) } : null
  const by = step.kind === 'const' ? first(step) : 1
  const [from, to] = [known(start), known(end)]
  if (from === null || to === null || to.low !== to.high) return null
  const rounds = (from: number): number => Math.max(0, Math.ceil((to.low - from) / by))
  const count = rounds(from.low)
  // that it never runs is known without the step, too
  return count === rounds(from.high) && (count === 0 || step.kind === 'const') ? { start, by, count } : null
}

const first = (e: Const): number => e.lanes[0] as number

/** Whether a range can be written out, and is short enough. Its jumps would have nowhere to go. */
export const isShort = ({ body }: Range, rounds: number, size = sizeOf(body)): boolean =>
  rounds * size <= MOST_STATEMENTS && !hasJump(body, 'break') && !hasJump(body, 'continue')

/** The number of statements, with those ranges written out whose bounds are constants already. */
function sizeOf(block: Block): number {
  let size = 0
  for (const s of block) {
    const inner = blocksOf(s).reduce((sum, b) => sum + sizeOf(b), 0)
    const rounds = s.kind === 'range' && s.unroll && roundsOf(s.start, s.end, s.step)
    size += rounds && isShort(s as Range, rounds.count, inner) ? rounds.count * inner : inner + 1
  }
  return size
}

/** Whether a block has a `break` or `continue` that leaves it. */
export const hasJump = (block: Block, jump: 'break' | 'continue'): boolean =>
  block.some(
    (s) =>
      s.kind === jump ||
      (s.kind !== 'loop' &&
        s.kind !== 'range' &&
        (s.kind !== 'switch' || jump === 'continue') &&
        blocksOf(s).some((inner) => hasJump(inner, jump))),
  )
