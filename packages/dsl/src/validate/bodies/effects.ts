import type { Effect, Place } from '../../ir'
import { EFFECTS, type EffectRow } from '../../ops'
import { isConstructible, isKind, isValue, spell, type Type } from '../../types'
import { NEXT } from '../behavior'
import type { Bodies } from './bodies'

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

export function effect(s: Effect, b: Bodies): number {
  const row = ROWS[s.op] as EffectRow
  const { op, at, args, result } = s
  if (row.flow !== 'any') b.synchronized++
  for (const a of args) b.value(a, at)
  if (s.place) effectPlace(s, s.place, row, b)
  if (row.family === 'subgroup' || row.family === 'quad') lane(s, row, b)
  if (row.family === 'matrix') {
    if (op === 'subgroupMatrixStore') matrix(`argument 2 of '${op}'`, args[1]?.type, at, b)
    matrix(`the result of '${op}'`, result?.type, at, b)
  }
  b.define(result, s)
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
      : (row.place === 'elements' ? 'array' : row.place) === kind && space !== 'function'
  // The sizes of textures without levels have no level to ask for.
  const flat = isKind(type, 'texture') && (type.format !== undefined || type.dimension === 'multisampled_2d')
  if (!fits) b.fault(s.at, `'${s.op}' cannot be applied to ${spell(type)} in ${space} memory`)
  else if (flat && s.op === 'textureDimensions' && s.args.length > 0)
    b.fault(s.at, `'${s.op}' takes 0 arguments here, not ${s.args.length}`)
  else if (row.memory !== 'none') b.use(place, row.place === 'workgroup' ? 'read' : row.memory, s.at)
}

/** Constant ids of lanes: those of a quad are below 4, those of a subgroup below 128. */
function lane({ op, at, args }: Effect, row: EffectRow, b: Bodies): void {
  const arg = args[1]
  if (row.in.length < 2 || arg === undefined) return
  const value = b.constants.number(arg, at)
  const most = row.family === 'quad' ? 4 : 128
  if (value !== null && (value < 0 || value >= most))
    b.context.report('const-domain', `'${op}' takes a number below ${most}, not ${value}`, at)
  if (value !== null || row.in[1] !== 'const:u32') return
  const note = most === 128 ? 'use subgroupShuffle for an id that is computed' : undefined
  b.context.report('not-constant', `the invocation that '${op}' reads must be a constant`, at, note)
}

function matrix(what: string, type: Type | undefined, at: number, b: Bodies): void {
  if (type && !isKind(type, 'subgroup_matrix')) b.fault(at, `${what} must be a subgroup matrix, not ${spell(type)}`)
}
