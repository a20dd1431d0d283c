import {
  type Block,
  type Const,
  type Expr,
  type Kernel,
  type Let,
  type Op,
  type Result,
  refusal,
  type ValueName,
} from '@weft/dsl/ir'
import { rebuild } from './children'
import { definedOperands, knownConstant } from './operands'
import { freshIds, mapBodies, mapStmt } from './rewrite'

/**
 * Constant expressions that compilers refuse have values at run time: `sqrt(-1)`, an overflow, a bitcast to NaN. What
 * folding could not replace by a literal gets its constants from a `let`, which is not a constant to WGSL. Shifts and
 * divisions of integers, through whose `let`s naga looks, get operands that mean the same.
 */
export function runtimeConstants(kernel: Kernel): Kernel {
  let fresh: (() => number) | null = null
  return mapBodies(kernel, (body) => {
    const lets: Let[] = []
    const named = new Map<string, Result>()
    const name = (c: Const): Result => {
      const key = `${c.type} ${c.lanes.map((x) => (Object.is(x, -0) ? '-0' : x)).join()}`
      const known = named.get(key)
      if (known) return known
      fresh ??= freshIds(kernel)
      const result: Result = Object.freeze({ kind: 'result', type: c.type, id: fresh() })
      named.set(key, result)
      lets.push({ kind: 'let', at: -1, name: 'constant', value: c, result })
      return result
    }
    /** What names stand for, by the id of their `let`. */
    const constants = new Map<number, Const>()
    const known = (e: Expr): Const | null => knownConstant(e, constants)
    const defined = (e: Expr): Expr => (e.kind === 'op' ? definedOperands(e, known) : e)
    const done = new Map<Expr, Expr>()
    const go = (e: Expr): Expr => {
      const known = done.get(e)
      if (known) return known
      const next = defined(rebuild(e, go))
      const made = isTrap(next) ? rebuild(next, (o) => (o.kind === 'const' ? name(o) : o)) : next
      done.set(e, made)
      return made
    }
    const block = (b: Block): Block => {
      let changed = false
      const out = b.map((s) => {
        const next = mapStmt(s, go, block)
        if (next !== s) changed = true
        const value = next.kind === 'let' ? known(next.value) : null
        if (next.kind === 'let' && value) constants.set(next.result.id, value)
        return next
      })
      return changed ? out : b
    }
    const next = block(body)
    return lets.length === 0 ? next : [...lets, ...next]
  })
}

/** Whether a compiler would evaluate it, or part of it, and may refuse. */
function isTrap(e: Expr): boolean {
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
const REFUSING = new Set([
  'div',
  'rem',
  'shl',
  'shr',
  'clamp',
  'smoothstep',
  'extractBits',
  'insertBits',
  'ldexp',
  'pow',
])
