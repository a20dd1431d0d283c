import { type Expr, type Op, PURE, type Store } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'
import { print, printPlace, splatted } from './expressions'
import { INFIX } from './operators'

/** A store without its semicolon, as the head of a `for` wants it. */
export function assignment({ place, value }: Store, c: Context): string {
  const target = printPlace(place, c)
  const compound = value.kind === 'op' && place.root.kind !== 'view' && !c.values[numberOf(value)]?.name
  return (compound && compounded(target, value, c)) || `${target} = ${print(value, c)}`
}

/** `target += b`, if the value is made of what the target holds. */
function compounded(target: string, { op, args }: Op, c: Context): string | null {
  const operator = op === 'product' ? '*' : PURE[op].wgsl
  const rule = INFIX[operator]
  const [a, b] = args as [Expr, Expr | undefined]
  if (!rule?.assigns || b === undefined) return null
  const isElementwise = op !== 'product'
  const other = isRead(a, target, c) ? b : isElementwise && rule.commutes && isRead(b, target, c) ? a : null
  if (other === null) return null
  const operand = (isElementwise && rule.mixes && splatted(other, c)) || other
  return `${target} ${operator}= ${print(operand, c)}`
}

/** Whether `e` is written as a reading of the target. */
const isRead = (e: Expr, target: string, c: Context): boolean =>
  e.kind === 'result' && c.results[e.id]?.site?.stmt?.kind === 'load' && print(e, c) === target
