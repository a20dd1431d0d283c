import type { Effect, Place } from '../../ir'
import { EFFECTS, type EffectRow } from '../../ops'
import { isConstructible, isValue, spell, type Type } from '../../types'
import { NEXT } from '../behavior'
import type { Bodies } from './bodies'

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

export function effect(s: Effect, b: Bodies): number {
  const row = ROWS[s.op] as EffectRow
  if (row.flow !== 'any') b.synchronized++
  for (const a of s.args) b.value(a, s.at)
  if (s.place) effectPlace(s, s.place, row, b)
  if (row.family === 'subgroup' || row.family === 'quad') lane(s, row, b)
  if (row.family === 'matrix') matrix(s, b)
  b.define(s.result, s)
  b.define(s.exchanged, s)
  return NEXT
}

function effectPlace(s: Effect, place: Place, row: EffectRow, b: Bodies): void {
  b.handed(place, s.at)
  const { type } = place
  const kind = isValue(type) ? 'value' : type.kind
  const space = b.space(place)
  const fits =
    row.place === 'workgroup'
      ? space === 'workgroup' && (kind === 'atomic' || isConstructible(type))
      : row.place === 'elements'
        ? kind === 'array' && space !== 'function'
        : row.place === kind && space !== 'function'
  if (!fits) b.fault(s.at, `'${s.op}' cannot be applied to ${spell(type)} in ${space} memory`)
  else if (
    s.op === 'textureDimensions' &&
    s.args.length > 0 &&
    !isValue(type) &&
    type.kind === 'texture' &&
    (type.format !== undefined || type.dimension === 'multisampled_2d')
  ) {
    b.fault(s.at, `'${s.op}' takes 0 arguments here, not ${s.args.length}`)
  } else if (row.memory !== 'none') b.use(place, row.place === 'workgroup' ? 'read' : row.memory, s.at)
}

/** Constant ids of lanes: those of a quad are below 4, those of a subgroup below 128. */
function lane(s: Effect, row: EffectRow, b: Bodies): void {
  const [, slot] = row.in
  const [, arg] = s.args
  if (slot === undefined || arg === undefined) return
  const value = b.constants.number(arg, s.at)
  const most = row.family === 'quad' ? 4 : 128
  if (value === null) {
    if (slot === 'const:u32')
      b.context.report(
        'not-constant',
        `the invocation that '${s.op}' reads must be a constant`,
        s.at,
        most === 128 ? 'use subgroupShuffle for an id that is computed' : undefined,
      )
  } else if (value < 0 || value >= most)
    b.context.report('const-domain', `'${s.op}' takes a number below ${most}, not ${value}`, s.at)
}

const isMatrix = (type: Type): boolean => !isValue(type) && type.kind === 'subgroup_matrix'

function matrix(s: Effect, b: Bodies): void {
  const stored = s.op === 'subgroupMatrixStore' ? s.args[1]?.type : undefined
  if (stored !== undefined && !isMatrix(stored))
    b.fault(s.at, `argument 2 of '${s.op}' must be a subgroup matrix, not ${spell(stored)}`)
  if (s.result && !isMatrix(s.result.type))
    b.fault(s.at, `'${s.op}' gives a subgroup matrix, not ${spell(s.result.type)}`)
}
