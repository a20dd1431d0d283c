import { type Expr, isInt, type Op } from '@weft/dsl/ir'

/** What it costs to evaluate an expression, and what is not worth a name. */

/** Nesting at which an expression is bound although it is used once: compilers refuse some 125 levels. */
export const LEVELS = 32
/** The cost up to which the end of a range is written into the loop's head, which evaluates it in every round. */
export const CHEAP = 2

/** Of expressions without their operands; names and constants have none. */
const COST: { readonly [K in Expr['kind']]?: number } = {
  op: 1,
  construct: 1,
  convert: 1,
  bitcast: 1,
  swizzle: 0,
  index: 1,
  member: 0,
  length: 1,
}
const DIVISION = 4

/** The cost of an expression without its operands. */
export const costOf = (e: Expr): number =>
  e.kind === 'op' && (e.op === 'div' || e.op === 'rem') ? DIVISION : (COST[e.kind] ?? 0)

/** Names and constants. */
export const isLeaf = (e: Expr): boolean => COST[e.kind] === undefined

/** Just a name, or part of one: writing it twice costs nothing and reads better. */
export function isTrivial(e: Expr): boolean {
  switch (e.kind) {
    case 'swizzle':
    case 'member':
      return isTrivial(e.of)
    case 'index':
      return e.index.kind === 'const' && isTrivial(e.of)
    case 'construct':
      return e.args.length === 0 || (typeof e.type === 'string' && e.args.length === 1 && isScalarArgument(e.args[0]))
    case 'op':
      return isStep(e)
    default:
      return isLeaf(e)
  }
}

/** A name and a constant, one step apart: `row + 1u`, `lane == 0u`. A name of its own would say no more. */
function isStep(e: Op): boolean {
  if (!STEPS.has(e.op)) return false
  const [a, b] = e.args as [Expr, Expr]
  return (b.kind === 'const' && isName(a)) || (a.kind === 'const' && isName(b))
}

const STEPS: ReadonlySet<string> = new Set(['add', 'sub', 'eq', 'ne', 'lt', 'le', 'gt', 'ge'])
const isName = (e: Expr): boolean =>
  typeof e.type === 'string' &&
  isInt(e.type) &&
  (isLeaf(e) || ((e.kind === 'swizzle' || e.kind === 'member') && isName(e.of)))

/** A splat is written again, its scalar bound: in arithmetic the scalar is all that is written. */
const isScalarArgument = (e: Expr | undefined): boolean =>
  e !== undefined && typeof e.type === 'string' && !e.type.startsWith('vec') && !e.type.startsWith('mat')
