import { type Expr, type Op, PURE, type Store } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'
import { print, printPlace, splatted } from './expressions'
import { COMMUTES, COMPOUND, MIXED } from './operators'

/** A store without its semicolon, as the head of a `for` wants it. */
export function assignment({ place, value }: Store, c: Context): string {
  const target = printPlace(place, c)
  const compound = value.kind === 'op' && place.root.kind !== 'view' && !c.values[numberOf(value)]?.name
  return (compound && compounded(target, value, c)) || `${target} = ${print(value, c)}`
}

/** `target += b`, if the value is made of what the target holds. */
function compounded(target: string, { op, args }: Op, c: Context): string | null {
  const operator = op === 'product' ? '*' : PURE[op].wgsl
  if (!COMPOUND.has(operator)) return null
  const [a, b] = args as [Expr, Expr | undefined]
  if (b === undefined) return null
  const isRead = (e: Expr): boolean =>
    e.kind === 'result' &&
    c.results[e.id]?.inline === true &&
    c.results[e.id]?.site?.stmt?.kind === 'load' &&
    print(e, c) === target
  const other = isRead(a) ? b : op !== 'product' && COMMUTES.has(operator) && isRead(b) ? a : null
  if (other === null) return null
  return `${target} ${operator}= ${print((op !== 'product' && MIXED.has(operator) && splatted(other, c)) || other, c)}`
}
