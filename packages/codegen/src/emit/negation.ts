import { type Expr, isValueName, type Op, PURE, scalarOf } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'
import { infix, print } from './expressions'
import { INFIX, RANK } from './operators'

/** The opposite of a test; comparisons of integers turn round, those of floats do not, since NaN makes both false. */
export function negated(test: Expr, c: Context): string {
  const turned = test.kind === 'op' && !c.values[numberOf(test)]?.name ? turnedRound(test, c) : null
  if (turned !== null) return turned
  const text = print(test, c)
  return c.rank <= RANK.unary ? `!${text}` : `!(${text})`
}

function turnedRound(test: Op, c: Context): string | null {
  if (test.op === 'product') return null
  const [a, b] = test.args as [Expr, Expr]
  if (test.op === 'not') return print(a, c)
  const opposite = INFIX[PURE[test.op].wgsl]?.opposite
  const scalar = isValueName(a.type) ? scalarOf(a.type) : 'bool'
  return opposite && test.type === 'bool' && scalar !== 'f32' && scalar !== 'f16' ? infix(opposite, a, b, c) : null
}
