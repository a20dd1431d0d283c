import { type Block, blocksOf, type Expr, type Range } from '@weft/dsl/ir'

/** Unrolling: the walk writes out the ranges that ask for it, where their bounds are constants. */

/** The most rounds and statements that a loop is written out to; beyond, it stays a loop. */
const MOST_ROUNDS = 256
const MOST_STATEMENTS = 4096

/** The values of the index of a range; null where they are not known or too many. */
export function roundsOf(start: Expr, end: Expr, step: Expr): readonly number[] | null {
  if (start.kind !== 'const' || end.kind !== 'const') return null
  const by = step.kind === 'const' ? (step.lanes[0] as number) : 1
  const last = end.lanes[0] as number
  const rounds: number[] = []
  for (let i = start.lanes[0] as number; by < 0 ? i > last : i < last; i += by) {
    // that it never runs is known without the step, too
    if (rounds.push(i) > MOST_ROUNDS || step.kind !== 'const') return null
  }
  return rounds
}

/** Whether a range can be written out, and is short enough. Its jumps would have nowhere to go. */
export const isShort = ({ body }: Range, rounds: readonly number[], size = sizeOf(body)): boolean =>
  rounds.length * size <= MOST_STATEMENTS && !hasJump(body, 'break') && !hasJump(body, 'continue')

/** The number of statements, with those ranges written out whose bounds are constants already. */
function sizeOf(block: Block): number {
  let size = 0
  for (const s of block) {
    const inner = blocksOf(s).reduce((sum, b) => sum + sizeOf(b), 0)
    const rounds = s.kind === 'range' && s.unroll && roundsOf(s.start, s.end, s.step)
    size += rounds && isShort(s as Range, rounds, inner) ? rounds.length * inner : inner + 1
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
