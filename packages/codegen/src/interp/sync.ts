import { type Block, EFFECTS, type EffectRow, type Stmt } from '@weft/dsl/ir'
import { isMatrixType } from './shape'
import { nestedBlocks, type Unit } from './unit'

/** Which statements are points where invocations wait for each other, or contain such points. */

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

const SYNCHRONOUS: ReadonlySet<string> = new Set(['barrier', 'subgroup', 'quad', 'matrix'])

/** Statements on subgroup matrices are done once for each subgroup. */
export function touchesMatrix(s: Stmt): boolean {
  switch (s.kind) {
    case 'let':
    case 'load':
      return isMatrixType(s.result.type)
    case 'store':
      return isMatrixType(s.value.type)
    case 'var':
      return isMatrixType(s.variable.type)
    case 'effect':
      return familyOf(s.op) === 'matrix'
    default:
      return false
  }
}

export const familyOf = (op: string): EffectRow['family'] => (ROWS[op] as EffectRow).family

/** Where break and continue lead to, and which function a return leaves. `null` is the kernel's body. */
export interface Targets {
  readonly break: Stmt | null
  readonly continue: Stmt | null
  readonly return: Stmt | null
}

/** The targets within a nested block of `s`. */
export function targetsIn(s: Stmt, outer: Targets): Targets {
  switch (s.kind) {
    case 'switch':
      return { ...outer, break: s }
    case 'range':
    case 'loop':
      return { ...outer, break: s, continue: s }
    case 'call':
      return { break: null, continue: null, return: s }
    default:
      return outer
  }
}

export const ROOT: Targets = { break: null, continue: null, return: null }

export interface Sync {
  /** Whether the statement is or contains a point where invocations wait for each other. */
  waits(s: Stmt): boolean
  /** The statements out of which `s` jumps from inside; null is the kernel's body. */
  jumps(s: Stmt): ReadonlySet<Stmt | null>
}

export function syncOf(unit: Pick<Unit, 'body' | 'calls'>): Sync {
  const waiting = new Set<Stmt>()
  const jumping = new Map<Stmt, Set<Stmt | null>>()
  const visit = (block: Block, targets: Targets): boolean => block.map((s) => one(s, targets)).some(Boolean)
  const one = (s: Stmt, targets: Targets): boolean => {
    let waits = touchesMatrix(s) || (s.kind === 'effect' && SYNCHRONOUS.has(familyOf(s.op)))
    let out: Set<Stmt | null> = NONE
    if (s.kind === 'break' || s.kind === 'continue' || s.kind === 'return') out = new Set([targets[s.kind]])
    const inner = targetsIn(s, targets)
    for (const block of nestedBlocks(s, unit.calls)) {
      waits = visit(block, inner) || waits
      for (const child of block) out = merged(out, jumping.get(child) ?? NONE, s)
    }
    if (waits) waiting.add(s)
    if (out.size > 0) jumping.set(s, out)
    return waits
  }
  visit(unit.body, ROOT)
  return { waits: (s) => waiting.has(s), jumps: (s) => jumping.get(s) ?? NONE }
}

const NONE: Set<Stmt | null> = new Set()

/** The targets of a statement and of one inside it, without itself. */
function merged(out: Set<Stmt | null>, inner: Set<Stmt | null>, self: Stmt): Set<Stmt | null> {
  const outside = [...inner].filter((target) => target !== self)
  return outside.length === 0 ? out : new Set([...out, ...outside])
}
