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

function isOpTrap(e: Op): boolean {
  let constants = 0
  for (const a of e.args) if (a.kind === 'const') constants++
  if (constants === 0) return false
  // ∞ and NaN are written as values made at run time
  if (constants === e.args.length) return e.args.some((a) => a.kind === 'const' && allFinite(a))
  if (!REFUSING.has(e.op)) return false
  return (
    refusal(
      e.op,
      e.type,
      e.args.map((a) => (a.kind === 'const' ? a : null)),
      e.args.map((a) => a.type as ValueName),
    ) !== null
  )
}

/** Ops of which some constant operands are refused although others are not constant. */
const REFUSING = new Set('div rem shl shr clamp smoothstep extractBits insertBits ldexp pow'.split(' '))
