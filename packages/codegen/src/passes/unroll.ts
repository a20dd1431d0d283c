import {
  type Block,
  blocksOf,
  type Expr,
  forEachStmt,
  type Kernel,
  type Range,
  type ValueName,
  withOperands,
} from '@weft/dsl/ir'
import { copyBlock } from './copy'
import { foldExpr } from './fold'
import { bodiesOf, flatMapBlock, freshIds, mapBodies, mapStmt } from './map'
import { splatConst } from './nodes'

/** The most rounds and statements that a loop is written out to; beyond, it stays a loop. */
const MOST_ROUNDS = 256
const MOST_STATEMENTS = 4096

/** Writes out the ranges that ask for it, where their bounds are constants. */
export function unroll(kernel: Kernel): Kernel {
  if (!bodiesOf(kernel).some(asks)) return kernel
  const fresh = freshIds(kernel)
  const block = (b: Block): Block =>
    flatMapBlock(b, (s) => {
      const inner = mapStmt(s, (e) => e, block)
      if (inner.kind !== 'range' || !inner.unroll) return inner
      const rounds = roundsOf(inner)
      if (!rounds || rounds.length * count(inner.body) > MOST_STATEMENTS || jumps(inner.body)) return inner
      // a round may contain a range whose bounds are constant only now
      return rounds.flatMap((value) => block(copy(inner, value, fresh)))
    })
  return mapBodies(kernel, block)
}

function asks(b: Block): boolean {
  let found = false
  forEachStmt(b, (s) => {
    if (s.kind === 'range' && s.unroll) found = true
  })
  return found
}
const count = (b: Block): number => b.reduce((n, s) => n + 1 + blocksOf(s).reduce((m, inner) => m + count(inner), 0), 0)

/** Whether a body leaves its loop, or goes on with it, by a jump of its own. */
const jumps = (b: Block, inSwitch = false): boolean =>
  b.some((s) => {
    if (s.kind === 'continue') return true
    if (s.kind === 'break') return !inSwitch
    if (s.kind === 'loop' || s.kind === 'range') return false
    return blocksOf(s).some((inner) => jumps(inner, inSwitch || s.kind === 'switch'))
  })

const constant = (e: Expr): number | null => {
  const folded = foldDeep(e)
  return folded.kind === 'const' ? (folded.lanes[0] ?? null) : null
}
const foldDeep = (e: Expr): Expr => foldExpr(withOperands(e, foldDeep))

/** The values of the index, or null where they are not known or too many. */
function roundsOf(s: Range): number[] | null {
  const start = constant(s.start)
  const end = constant(s.end)
  const step = constant(s.step)
  if (start === null || end === null || !step) return null
  const rounds: number[] = []
  for (let i = start; step > 0 ? i < end : i > end; i += step) {
    if (rounds.length === MOST_ROUNDS) return null
    rounds.push(i)
  }
  return rounds
}

/** The body for one value of the index, with results and variables of its own. */
const copy = (s: Range, value: number, fresh: () => number): Block =>
  copyBlock(s.body, {
    fresh,
    results: new Map([[s.index.id, splatConst(s.index.type as ValueName, value)]]),
    simplify: foldExpr,
  })
