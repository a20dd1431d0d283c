import type { Expr as Node, Place } from '../ir'
import { EFFECTS, type EffectName, type EffectRow, type Slot, slotType } from '../ops'
import { spell, type ValueName } from '../types'
import { handleOf, type Method, type Methods } from './body'
import { fail, type Session } from './context'
import { emitEffect } from './emit-effect'
import { type Handle, isHandle, STATE } from './handle'
import { describe, lift } from './lift'
import { read } from './read'
import { makeValue } from './ref'
import { typeFrom } from './schema'

/** Barriers, subgroup and quad operations, subgroup matrices: derived from the table of effects. */

function fromTable(): Record<string, Method> {
  const out: Record<string, Method> = {}
  for (const [op, row] of Object.entries(EFFECTS) as [EffectName, EffectRow][]) {
    if (row.family === 'barrier' && row.place === undefined)
      out[op] = ({ session }) => emitted(session, op, null, [], null)
    if (row.family === 'subgroup' || row.family === 'quad')
      out[op] = ({ session }, ...args: unknown[]) => exchange(session, op, row, args)
    if (row.family === 'matrix' && row.place === undefined)
      out[op] = ({ session }, ...args: unknown[]) => matrixOp(session, op, args)
  }
  return out
}

type Majorness = 'row' | 'col'

export const effects: Methods = {
  ...fromTable(),
  workgroupUniformLoad: ({ session }, ref: unknown) => {
    const place = placeOf(ref, 'workgroupUniformLoad')
    const of = typeof place.type === 'object' && place.type.kind === 'atomic' ? place.type.of : place.type
    return emitted(session, 'workgroupUniformLoad', place, [], of)
  },
  subgroupMatrixLoad: (
    { session },
    schema: unknown,
    ref: unknown,
    offset: unknown,
    stride: unknown,
    majorness: Majorness = 'row',
  ) => {
    const type = typeFrom(schema, 'subgroupMatrixLoad')
    return emitted(
      session,
      'subgroupMatrixLoad',
      placeOf(ref, 'subgroupMatrixLoad'),
      [u32Arg(session, offset), u32Arg(session, stride)],
      type,
      majorness,
    )
  },
  subgroupMatrixStore: (
    { session },
    ref: unknown,
    offset: unknown,
    matrix: unknown,
    stride: unknown,
    majorness: Majorness = 'row',
  ) => {
    const args = [u32Arg(session, offset), read(handleOf(matrix, 'the matrix'), session), u32Arg(session, stride)]
    return emitted(session, 'subgroupMatrixStore', placeOf(ref, 'subgroupMatrixStore'), args, null, majorness)
  },
}

const u32Arg = (session: Session, x: unknown): Node => lift(x, 'u32', session, 'an offset or stride')

export function placeOf(ref: unknown, what: string): Place {
  const place = isHandle(ref) ? ref[STATE].place : null
  if (place === null)
    return fail(
      'bad-argument',
      `${what} is given ${describe(ref)}`,
      'it needs a variable, an element of one or a binding',
    )
  ;(ref as Handle)[STATE].used = true
  return place
}

/** Emits an effect; gives its value, with fields where it is a struct. */
function emitted(...effect: Parameters<typeof emitEffect>): Handle | undefined {
  const state = emitEffect(...effect)
  return state === null ? undefined : makeValue(state)
}

/** Subgroup and quad operations. */
function exchange(session: Session, op: EffectName, row: EffectRow, args: readonly unknown[]): Handle | undefined {
  if (args.length !== row.in.length)
    fail('no-overload', `${op} takes ${row.in.length} arguments, and was given ${args.length}`)
  let t: ValueName = 'u32'
  if (row.in[0] === 'T') {
    const first = handleOf(args[0], `the argument of ${op}`)
    if (!row.over.includes(first.type))
      fail('no-overload', `${op} does not take ${first.type}`, `it takes ${row.over.join(', ')}`)
    t = first.type
  }
  const lifted = row.in.map((slot, i) => {
    const type = slot === 'const:u32' || slot === 'uniform:u32' ? 'u32' : slotType(slot as Slot, t)
    if (slot === 'const:u32' && typeof args[i] !== 'number')
      fail(
        'not-constant',
        `argument ${i + 1} of ${op} must be a constant`,
        'give a JavaScript number; for a variable lane use subgroupShuffle',
      )
    return lift(args[i], type, session, `argument ${i + 1} of ${op}`)
  })
  return emitted(session, op, null, lifted, slotType(row.out as Slot, t))
}

function matrixOp(session: Session, op: EffectName, args: readonly unknown[]): Handle | undefined {
  const first = handleOf(args[0], `the argument of ${op}`)
  const type = first[STATE].type
  if (typeof type === 'string' || type.kind !== 'subgroup_matrix')
    return fail('type-mismatch', `${op} is given ${first.type} where a subgroup matrix is expected`)
  if (op.includes('Scalar')) {
    const scalar = type.of === 'i8' ? 'i32' : type.of === 'u8' ? 'u32' : type.of
    return emitted(
      session,
      op,
      null,
      [read(first, session), lift(args[1], scalar, session, `the scalar of ${op}`)],
      type,
    )
  }
  const nodes = args.map((a) => read(handleOf(a, `an argument of ${op}`), session))
  const [, right, acc] = nodes.map((n) =>
    typeof n.type === 'object' && n.type.kind === 'subgroup_matrix' ? n.type : null,
  )
  if (
    !right ||
    type.role !== 'left' ||
    right.role !== 'right' ||
    type.cols !== right.rows ||
    nodes.length !== (op === 'subgroupMatrixMultiply' ? 2 : 3)
  ) {
    return fail(
      'type-mismatch',
      `${op}(${nodes.map((n) => spell(n.type)).join(', ')}) does not exist`,
      'it takes a left M×K, a right K×N and, to accumulate, a result M×N',
    )
  }
  return emitted(
    session,
    op,
    null,
    nodes,
    acc ?? { kind: 'subgroup_matrix', role: 'result', of: type.of, cols: right.cols, rows: type.rows },
  )
}
