import type { Effect, Expr, Result } from '../../ir'
import { EFFECTS, type EffectRow, type EffectSlot, type Slot, slotType } from '../../ops'
import {
  isValue,
  type SubgroupMatrixType,
  sameType,
  spell,
  type TextureType,
  type Type,
  type ValueName,
  vectorName,
} from '../../types'
import { isIndexType } from '../places'
import type { Expressions } from './expressions'

const COORDS: { readonly [D in TextureType['dimension']]: 1 | 2 | 3 } = {
  '1d': 1,
  '2d': 2,
  '2d_array': 2,
  '3d': 3,
  cube: 2,
  cube_array: 2,
  multisampled_2d: 2,
}
const TABLE: Readonly<Record<string, EffectRow>> = EFFECTS

/** An effect against its row: place, arguments, results. Whether it fits its place, `validate` checks. Gives the innermost scope needed. */
export function checkEffect(s: Effect, x: Expressions): number {
  const row = TABLE[s.op]
  if (!row) {
    x.context.report('unknown-name', `there is no effect '${s.op}'`, s.at)
    return 0
  }
  let scope = x.all(s.args, s.at)
  if (s.place) scope = Math.max(scope, x.places.check(s.place, s.at))
  if (Boolean(row.place) !== Boolean(s.place))
    x.fault(s.at, `'${s.op}' takes ${row.place ? 'a place' : 'no place'} as its first argument`)
  else if (fits(s, row)) {
    checkArguments(s, row, x)
    checkResults(s, row, x)
  }
  return scope
}

/** Where the place is of another kind, which `validate` reports, arguments have no types to be compared with. */
function fits(s: Effect, row: EffectRow): boolean {
  const type = s.place?.type
  const kind = type === undefined || isValue(type) ? 'value' : type.kind
  return !row.place || row.place === 'workgroup' || kind === (row.place === 'elements' ? 'array' : row.place)
}

/** The slots that an effect has arguments for: a texture's dimension decides which of its coordinates there are. */
function slotsOf(s: Effect, row: EffectRow): readonly EffectSlot[] {
  const type = s.place?.type
  if (row.place !== 'texture' || !type || isValue(type) || type.kind !== 'texture') return row.in
  const arrayed = type.dimension.endsWith('_array')
  const levels =
    type.format === undefined &&
    (s.op !== 'textureDimensions' || (s.args.length > 0 && type.dimension !== 'multisampled_2d'))
  return row.in.filter((slot) => (slot === 'index' ? arrayed : slot === 'level' ? levels : true))
}

function checkArguments(s: Effect, row: EffectRow, x: Expressions): void {
  const slots = slotsOf(s, row)
  if (slots.length !== s.args.length) {
    x.fault(s.at, `'${s.op}' takes ${slots.length} arguments here, not ${s.args.length}`)
    return
  }
  const t = typeOfT(s, row)
  if (row.over.length > 0 && !(t !== null && isValue(t) && row.over.includes(t)) && row.place !== 'workgroup') {
    x.fault(s.at, `'${s.op}' has no form for ${t === null ? 'these arguments' : spell(t)}`)
    return
  }
  slots.forEach((slot, i) => {
    const arg = s.args[i]
    if (!arg) return
    const why = mismatch(slot, arg, s, t)
    if (why !== null) x.fault(s.at, `argument ${i + 1} of '${s.op}' must be ${why}, not ${spell(arg.type)}`)
  })
}

function typeOfT(s: Effect, row: EffectRow): Type | null {
  const place = s.place?.type
  if (row.place === 'atomic') return place && !isValue(place) && place.kind === 'atomic' ? place.of : null
  if (row.place === 'workgroup') return place && !isValue(place) && place.kind === 'atomic' ? place.of : (place ?? null)
  return s.args[row.in.indexOf('T')]?.type ?? null
}

/** What the argument must be, or null where it is that. */
function mismatch(slot: EffectSlot, arg: Expr, s: Effect, t: Type | null): string | null {
  const texture = s.place && !isValue(s.place.type) && s.place.type.kind === 'texture' ? s.place.type : null
  switch (slot) {
    case 'const:u32':
      return arg.type === 'u32' || arg.type === 'i32' ? null : 'u32'
    case 'uniform:u32':
      return arg.type === 'u32' ? null : 'u32'
    case 'coords': {
      const n = COORDS[texture?.dimension ?? '2d']
      return arg.type === vectorName('u32', n) || arg.type === vectorName('i32', n) ? null : vectorName('u32', n)
    }
    case 'index':
    case 'level':
      return isIndexType(arg.type) ? null : 'u32'
    case 'texel':
      return arg.type === vectorName(texture?.of ?? 'f32', 4) ? null : vectorName(texture?.of ?? 'f32', 4)
    // An author may store what is no matrix: see `validate`.
    case 'matrix':
      return null
    case 'left':
    case 'right':
    case 'result':
      return isSubgroupMatrix(arg.type) && arg.type.role === slot ? null : `a ${slot} subgroup matrix`
    case 'component':
      return isValue(arg.type) ? null : 'a scalar'
    default: {
      const wanted = t !== null && !isValue(t) ? t : slotType(slot as Slot, (t ?? 'u32') as ValueName)
      return sameType(wanted, arg.type) ? null : spell(wanted)
    }
  }
}

const isSubgroupMatrix = (type: Type): type is SubgroupMatrixType => !isValue(type) && type.kind === 'subgroup_matrix'

function checkResults(s: Effect, row: EffectRow, x: Expressions): void {
  const wanted = resultType(s, row)
  if (row.out === null && s.result) x.fault(s.at, `'${s.op}' has no result`)
  if (row.out !== 'cas' && s.exchanged) x.fault(s.at, `'${s.op}' does not say whether it exchanged`)
  if (s.exchanged) x.expect(`whether '${s.op}' exchanged`, 'bool', s.exchanged.type, s.at)
  if (s.result && wanted !== null) x.expect(`the result of '${s.op}'`, wanted, s.result.type, s.at)
}

function resultType(s: Effect, row: EffectRow): Type | null {
  const texture = s.place && !isValue(s.place.type) && s.place.type.kind === 'texture' ? s.place.type : null
  switch (row.out) {
    case null:
    case 'place':
    case 'matrix':
      return null
    case 'cas':
      return typeOfT(s, row)
    case 'texel':
      return texture?.depth ? 'f32' : vectorName(texture?.of ?? 'f32', 4)
    case 'coords':
      return vectorName('u32', COORDS[texture?.dimension ?? '2d'])
    default: {
      const t = typeOfT(s, row)
      return t !== null && !isValue(t) ? t : slotType(row.out, (t ?? 'u32') as ValueName)
    }
  }
}

export const resultsOf = (s: Effect): readonly Result[] =>
  [s.result, s.exchanged].filter((r): r is Result => r !== null)
