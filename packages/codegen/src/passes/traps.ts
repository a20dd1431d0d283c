import { type Const, type Expr, type Op, refusal, type ValueName } from '@weft/dsl/ir'

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
  if (!REFUSING.has(op) || !args.some(isConst)) return false
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

/** Ops of which some constant operands are refused although others are not constant. */
const REFUSING = new Set('div rem shl shr clamp smoothstep extractBits insertBits ldexp pow'.split(' '))
