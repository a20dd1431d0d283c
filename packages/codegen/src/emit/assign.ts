import { type Expr, type Op, type Place, PURE, type Step, type Store } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'
import { alone, printPlace, splatted } from './expressions'

const COMMUTES = new Set(['+', '*', '&', '|', '^'])
/** Those that take a vector and a scalar. */
const MIXED = new Set(['+', '-', '*', '/', '%'])
const COMPOUND = new Set(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'])

/** A store without its semicolon, as the head of a `for` wants it. */
export function assignment(s: Store, c: Context): string {
  const { value } = s
  const compound = value.kind === 'op' && c.bound[numberOf(value)] === undefined ? compounded(s, value, c) : null
  return compound ?? `${printPlace(s.place, c)} = ${alone(value, c)}`
}

/** `place += b`, if the value is made of what the place holds. */
function compounded({ place }: Store, value: Op, c: Context): string | null {
  const row = value.op === 'product' ? null : PURE[value.op]
  const operator = row ? (row.form === 'infix' ? row.wgsl : '') : '*'
  if (!COMPOUND.has(operator)) return null
  const [a, b] = value.args as [Expr, Expr]
  const other = reads(a, place, c) ? b : row && COMMUTES.has(operator) && reads(b, place, c) ? a : null
  if (other === null) return null
  const operand = (row && MIXED.has(operator) ? splatted(other, c) : null) ?? other
  return `${printPlace(place, c)} ${operator}= ${alone(operand, c)}`
}

/** Whether `e` is written as a reading of `place`. */
function reads(e: Expr, place: Place, c: Context): boolean {
  const load = e.kind === 'result' ? c.plan.inlined[e.id] : undefined
  return load !== undefined && samePlace(load.place, place)
}

function samePlace(a: Place, b: Place): boolean {
  if (a.root.kind !== b.root.kind || a.steps.length !== b.steps.length || a.root.kind === 'view') return false
  const same =
    a.root.kind === 'variable'
      ? a.root.id === (b.root as typeof a.root).id
      : a.root.name === (b.root as typeof a.root).name
  return same && a.steps.every((x, i) => sameStep(x, b.steps[i] as Step))
}

function sameStep(x: Step, y: Step): boolean {
  if (x.kind === 'member') return y.kind === 'member' && x.name === y.name
  if (y.kind !== 'index') return false
  return (
    x.index === y.index ||
    (x.index.kind === 'const' && y.index.kind === 'const' && x.index.lanes[0] === y.index.lanes[0])
  )
}
