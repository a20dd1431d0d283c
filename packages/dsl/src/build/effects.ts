import type { Effect, Expr, Place, Result } from '../ir'
import { EFFECTS, type EffectName, type EffectRow, type EffectSlot, type Slot, slotType } from '../ops'
import { isKind, isValueName, type SubgroupMatrixType, spell, type Type, type ValueName } from '../types'
import { fail } from './fail'
import { checkCount, expected, type Handle, isHandle, noForm, STATE } from './handle'
import { lift, typed } from './lift'
import { value } from './place'
import { typeFrom } from './schema'
import type { Methods, Session } from './session'

/** Effects, from their table: barriers, atomics, subgroup and quad operations, subgroup matrices. */

/** Emits an effect, here and now. */
export function emitEffect(
  session: Session,
  op: EffectName,
  place: Place | null,
  args: readonly Expr[],
  out: Type | null,
  majorness: Effect['majorness'] = null,
): Effect {
  const at = session.at()
  const result = out === null ? null : session.result(out)
  const exchanged = EFFECTS[op].out === 'cas' ? session.result('bool') : null
  const stmt: Effect = { kind: 'effect', at, op, place, args, result, exchanged, majorness }
  session.emit(stmt)
  return stmt
}

/** The value of an effect, if it has one. */
export const resultOf = (session: Session, op: EffectName, result: Result | null): Handle | undefined =>
  result === null ? undefined : value(result, session.current, `the value of ${op}`)

/** Emits an effect whose arguments are lifted slot by slot; `t` is what `T` stands for, or the matrix that it gives. */
function perform(
  session: Session,
  op: EffectName,
  place: Place | null,
  given: readonly unknown[],
  t: Type | null,
  majorness?: Effect['majorness'],
): Effect {
  const row: EffectRow = EFFECTS[op]
  checkCount(op, row.in.length, given)
  const args: Expr[] = []
  row.in.forEach(
    (slot, i) => void args.push(argument(session, slot, given[i], t ?? args[0]?.type, `argument ${i + 1} of ${op}`)),
  )
  const out =
    row.out === 'matrix'
      ? (t ?? matrixType(op, given, args))
      : row.out === 'cas'
        ? t
        : row.out && slotType(row.out as Slot, t as ValueName)
  return emitEffect(session, op, place, args, out, majorness)
}

function argument(session: Session, slot: EffectSlot, x: unknown, t: Type | undefined, what: string): Expr {
  switch (slot) {
    case 'const:u32':
      if (typeof x !== 'number')
        fail(
          'not-constant',
          `${what} must be a constant`,
          'give a JavaScript number; for a variable lane use subgroupShuffle',
        )
      return lift(x, 'u32', session, what)
    case 'uniform:u32':
      return lift(x, 'u32', session, what)
    case 'component': {
      const { of } = t as SubgroupMatrixType
      return lift(x, of === 'i8' ? 'i32' : of === 'u8' ? 'u32' : of, session, what)
    }
    case 'matrix':
    case 'left':
    case 'right':
    case 'result': {
      const node = typed(x, session, what)
      if (isKind(node.type, 'subgroup_matrix') && (slot === 'matrix' || node.type.role === slot)) return node
      return expected('type-mismatch', what, slot === 'matrix' ? 'a subgroup matrix' : `a ${slot} subgroup matrix`, x)
    }
    default:
      return lift(x, slotType(slot as Slot, t as ValueName), session, what)
  }
}

/** What a matrix op gives: of a product M×N, and else what its first argument is. */
function matrixType(op: EffectName, given: readonly unknown[], args: readonly Expr[]): Type {
  const [left, right, sum] = args.map((arg) => arg.type as SubgroupMatrixType)
  if (left?.role !== 'left' || typeof right !== 'object') return left as Type
  if (left.cols !== right.rows) noForm(op, given, 'it takes a left M×K, a right K×N and, to accumulate, a result M×N')
  return sum ?? { kind: 'subgroup_matrix', role: 'result', of: left.of, cols: right.cols, rows: left.rows }
}

export function placeOf(ref: unknown, what: string): Place {
  const place = isHandle(ref) ? ref[STATE].place : null
  if (place === null) return expected('bad-argument', what, 'a variable, an element of one or a binding', ref)
  ;(ref as Handle)[STATE].used = true
  return place
}

/** `counter.add(1)` and the like. */
export function atomic(ref: Handle, op: EffectName, args: readonly unknown[]): unknown {
  const { type, home, place, access, label } = ref[STATE]
  if (access === 'read')
    fail('binding-access', `${label} is an input: ${op} needs memory that can be written`, 'declare it inout(…)')
  const { session } = home
  const { result, exchanged } = perform(session, op, place, args, (type as { readonly of: ValueName }).of)
  const old = resultOf(session, op, result)
  return exchanged ? { old, exchanged: resultOf(session, op, exchanged) } : old
}

type Majorness = 'row' | 'col'

const placed: Methods = {
  workgroupUniformLoad: (session, ref: unknown) => {
    const op = 'workgroupUniformLoad'
    const place = placeOf(ref, `the argument of ${op}`)
    const of = isKind(place.type, 'atomic') ? place.type.of : place.type
    return resultOf(session, op, perform(session, op, place, [], of).result)
  },
  subgroupMatrixLoad: (
    session,
    schema: unknown,
    ref: unknown,
    offset: unknown,
    stride: unknown,
    majorness: Majorness = 'row',
  ) => {
    const op = 'subgroupMatrixLoad'
    const place = placeOf(ref, `the array of ${op}`)
    return resultOf(session, op, perform(session, op, place, [offset, stride], typeFrom(schema, op), majorness).result)
  },
  subgroupMatrixStore: (
    session,
    ref: unknown,
    offset: unknown,
    matrix: unknown,
    stride: unknown,
    majorness: Majorness = 'row',
  ) => {
    const op = 'subgroupMatrixStore'
    perform(session, op, placeOf(ref, `the array of ${op}`), [offset, matrix, stride], null, majorness)
  },
}

/** `T` is the type of the first argument, which must say it. */
function overloadType(session: Session, op: EffectName, row: EffectRow, first: unknown): Type | null {
  if (row.in[0] !== 'T') return null
  const type = isHandle(first) ? first[STATE].type : typed(first, session, `argument 1 of ${op}`).type
  if (isValueName(type) && row.over.includes(type)) return type
  return fail('no-overload', `${op} does not take ${spell(type)}`, `it takes ${row.over.join(', ')}`)
}

/** The ops that take values alone are methods as the table has them. */
export const effects: Methods = {
  ...Object.fromEntries(
    (Object.entries(EFFECTS) as [EffectName, EffectRow][])
      .filter(([, row]) => row.place === undefined)
      .map(([op, row]) => [
        op,
        (session: Session, ...args: unknown[]) =>
          resultOf(session, op, perform(session, op, null, args, overloadType(session, op, row, args[0])).result),
      ]),
  ),
  ...placed,
}
