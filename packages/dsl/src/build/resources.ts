import type { Expr as Node, Place } from '../ir'
import type { EffectName } from '../ops'
import { spell, type TextureType, type Type, type ValueName } from '../types'
import { fail, type Session } from './context'
import { emitEffect } from './emit-effect'
import { exprState, Handle, isHandle, type State } from './handle'
import { describe, lift, liftIndex } from './lift'
import { type RefOptions, rootPlace } from './place'
import { read } from './read'
import { typeFrom } from './schema'

/** Handles of bindings that are not plain memory: textures, and buffers that are seen through views. */

const COORDS: Record<TextureType['dimension'], 1 | 2 | 3> = {
  '1d': 1,
  '2d': 2,
  '2d_array': 2,
  multisampled_2d: 2,
  '3d': 3,
  cube: 2,
  cube_array: 2,
}
const TEXEL = { f32: 'vec4f', i32: 'vec4i', u32: 'vec4u' } as const

interface At {
  readonly layer?: unknown
  readonly level?: unknown
}

export function textureRef(state: State, type: TextureType): Handle {
  const session = state.session as Session
  const { label } = state
  const layered = type.dimension === '2d_array' || type.dimension === 'cube_array'
  const query = (op: EffectName, args: readonly Node[], out: ValueName): Handle =>
    effect(state, op, args, out) as Handle
  const layer = (at: At): readonly Node[] => {
    if (layered) return [liftIndex(at.layer ?? 0, null, session, label)]
    return at.layer === undefined ? [] : fail('bad-argument', `${label} of type ${spell(type)} has no layers`)
  }
  const methods = {
    load: (coords: unknown, at: At = {}) => {
      if (type.access === 'write')
        fail(
          'binding-access',
          `${label} is a write-only texture and cannot be read`,
          "declare it with 'read-only' or 'read-write'",
        )
      const level = type.format ? [] : [liftIndex(at.level ?? 0, null, session, label)]
      return query(
        'textureLoad',
        [coordinates(type, coords, session, label), ...layer(at), ...level],
        type.depth ? 'f32' : TEXEL[type.of],
      )
    },
    store: (coords: unknown, value: unknown, at: At = {}) => {
      if (!type.format || type.access === 'read')
        fail(
          'binding-access',
          `${label} of type ${spell(type)} cannot be written`,
          "declare it texture(d.textureStorage2d(format, 'write-only'))",
        )
      effect(
        state,
        'textureStore',
        [
          coordinates(type, coords, session, label),
          ...layer(at),
          lift(value, TEXEL[type.of], session, `the texel for ${label}`),
        ],
        null,
      )
    },
    dimensions: (level?: unknown) => {
      const n = COORDS[type.dimension]
      return query(
        'textureDimensions',
        level === undefined ? [] : [liftIndex(level, null, session, label)],
        n === 1 ? 'u32' : n === 2 ? 'vec2u' : 'vec3u',
      )
    },
    numLayers: () =>
      layered
        ? query('textureNumLayers', [], 'u32')
        : fail('bad-type', `${label} of type ${spell(type)} has no layers`),
    numLevels: () =>
      type.format || type.dimension === 'multisampled_2d'
        ? fail('bad-type', `${label} of type ${spell(type)} has no mip levels`)
        : query('textureNumLevels', [], 'u32'),
    numSamples: () =>
      type.dimension === 'multisampled_2d'
        ? query('textureNumSamples', [], 'u32')
        : fail('bad-type', `${label} of type ${spell(type)} is not multisampled`),
  }
  return Object.assign(new Handle(state), methods)
}

function coordinates(type: TextureType, coords: unknown, session: Session, label: string): Node {
  const n = COORDS[type.dimension]
  if (n === 1) return liftIndex(coords, null, session, label)
  const given = isHandle(coords) ? coords.type : describe(coords)
  if (isHandle(coords) && (given === `vec${n}u` || given === `vec${n}i`)) return read(coords, session)
  return fail('type-mismatch', `the coordinates of ${label} must be vec${n}u or vec${n}i, and are ${given}`)
}

function effect(state: State, op: EffectName, args: readonly Node[], out: ValueName | null): Handle | undefined {
  const value = emitEffect(state.session as Session, op, state.place, args, out)
  return value === null ? undefined : new Handle(value)
}

/** `makeRef` is handed in: the references to views are made by what makes this one. */
export function bufferRef(state: State, makeRef: (place: Place, options: RefOptions) => Handle): Handle {
  const session = state.session as Session
  const place = state.place as Place
  const name =
    place.root.kind === 'binding' ? place.root.name : fail('bad-type', 'only a binding can be seen through views')
  const methods = {
    view: (schema: unknown, offset: unknown) => {
      const type: Type = typeFrom(schema, `the view of ${state.label}`)
      const bytes = liftIndex(offset, null, session, state.label)
      const root = Object.freeze({ kind: 'view' as const, name, type, offset: bytes })
      return makeRef(rootPlace(root, type), {
        session,
        scope: session.scope,
        access: state.access,
        label: `a view of ${state.label}`,
        eager: true,
      })
    },
    get byteLength(): Handle {
      const at = session.at()
      return new Handle(
        exprState(
          Object.freeze({ kind: 'length', at, type: 'u32', of: place }),
          { session, scope: null, home: null },
          at,
          `the size of ${state.label}`,
        ),
      )
    },
  }
  return Object.defineProperties(new Handle(state), Object.getOwnPropertyDescriptors(methods))
}
