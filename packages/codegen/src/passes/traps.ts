import { type Const, type Expr, type Op, PURE, refusal, type ValueName } from '@weft/dsl/ir'

/** Whether a compiler would evaluate it, or part of it, and may refuse. */
export function isTrap(e: Expr): boolean {
  switch (e.kind) {
    case 'convert':
    case 'bitcast':
      return e.arg.kind === 'const' && allFinite(e.arg)
    case 'op':
      return isOpTrap(e)
    default:
      return false
  }
}

const allFinite = (c: Const): boolean => c.lanes.every(Number.isFinite)
const isConst = (e: Expr): e is Const => e.kind === 'const'

function isOpTrap({ op, type, args }: Op): boolean {
  // ∞ and NaN are written as values made at run time
  if (args.every(isConst)) return args.some(allFinite)
  // only ops with such a rule refuse constants beside operands that are not
  if (!args.some(isConst) || op === 'product' || !('refuseAny' in PURE[op])) return false
  const constants = args.map((a) => (isConst(a) ? a : null))
  return (
    refusal(
      op,
      type,
      constants,
      args.map((a) => a.type as ValueName),
    ) !== null
  )
}
