import type { Expr } from '../ir'
import type { EffectName } from '../ops'
import type { TextureType, Type } from '../types'
import { emitEffect, resultOf } from './effects'
import { fail } from './fail'
import { expected, type Handle, isHandle, read, STATE, withType } from './handle'
import { lift, liftIndex } from './lift'
import type { Session } from './session'

/** The methods of textures. */

const TEXEL = { f32: 'vec4f', i32: 'vec4i', u32: 'vec4u' } as const

/** Which layer and which mip level or sample. */
interface Where {
  readonly layer?: unknown
  readonly level?: unknown
}

const typeOf = (texture: Handle): TextureType => texture[STATE].type as TextureType
const sessionOf = (texture: Handle): Session => texture[STATE].home.session
const isLayered = ({ dimension }: TextureType): boolean => dimension.endsWith('_array')
/** How many coordinates a texel has: those of a cube name a texel of a face. */
const rank = ({ dimension }: TextureType): number => (dimension === '1d' ? 1 : dimension === '3d' ? 3 : 2)

function emit(texture: Handle, op: EffectName, args: readonly Expr[], out: Type | null): Handle | undefined {
  const session = sessionOf(texture)
  return resultOf(session, op, emitEffect(session, op, texture[STATE].place, args, out).result)
}

const index = (texture: Handle, x: unknown = 0): Expr => liftIndex(x, null, sessionOf(texture), texture[STATE].label)

/** The coordinates, and the layer where there are layers. */
function texel(texture: Handle, coords: unknown, { layer }: Where): Expr[] {
  const type = typeOf(texture)
  const n = rank(type)
  const fits = isHandle(coords) && (coords.type as string) in { [`vec${n}u`]: 1, [`vec${n}i`]: 1 }
  if (n > 1 && !fits)
    expected('type-mismatch', `the coordinates of ${texture[STATE].label}`, `vec${n}u or vec${n}i`, coords)
  const at = n === 1 ? index(texture, coords) : read(coords as Handle, sessionOf(texture))
  if (isLayered(type)) return [at, index(texture, layer)]
  return layer === undefined ? [at] : fail('bad-argument', `${withType(texture[STATE])} has no layers`)
}

function refuse(texture: Handle, verb: 'read' | 'written'): never {
  return fail(
    'binding-access',
    `${withType(texture[STATE])} cannot be ${verb}`,
    `declare it texture(d.textureStorage2d(format, '${verb === 'read' ? 'read-only' : 'write-only'}'))`,
  )
}

/** A number that only some textures have. */
const count =
  (op: EffectName, what: string, has: (type: TextureType) => boolean) =>
  (texture: Handle): unknown => {
    return has(typeOf(texture))
      ? emit(texture, op, [], 'u32')
      : fail('bad-type', `${withType(texture[STATE])} has no ${what}`)
  }

export const textureMethods = {
  load(texture: Handle, coords: unknown, at: Where = {}): unknown {
    const type = typeOf(texture)
    if (type.access === 'write') refuse(texture, 'read')
    const args = texel(texture, coords, at)
    if (!type.format) args.push(index(texture, at.level))
    return emit(texture, 'textureLoad', args, type.depth ? 'f32' : TEXEL[type.of])
  },
  store(texture: Handle, coords: unknown, value: unknown, at: Where = {}): void {
    const type = typeOf(texture)
    if (!type.format || type.access === 'read') refuse(texture, 'written')
    const { label } = texture[STATE]
    const args = texel(texture, coords, at)
    args.push(lift(value, TEXEL[type.of], sessionOf(texture), `the texel for ${label}`))
    emit(texture, 'textureStore', args, null)
  },
  dimensions(texture: Handle, level?: unknown): unknown {
    const n = rank(typeOf(texture))
    const args = level === undefined ? [] : [index(texture, level)]
    return emit(texture, 'textureDimensions', args, n === 1 ? 'u32' : n === 2 ? 'vec2u' : 'vec3u')
  },
  numLayers: count('textureNumLayers', 'layers', isLayered),
  numLevels: count('textureNumLevels', 'mip levels', (type) => !type.format && type.dimension !== 'multisampled_2d'),
  numSamples: count('textureNumSamples', 'samples', (type) => type.dimension === 'multisampled_2d'),
}
