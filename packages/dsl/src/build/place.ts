import type { Expr, Place, Root, Step } from '../ir'
import {
  type Access,
  type ArrayType,
  factsOf,
  isKind,
  isMatrix,
  isValueName,
  spell,
  type Type,
  type ValueName,
  vectorName,
} from '../types'
import { fail } from './fail'
import {
  Handle,
  homeOf,
  load,
  read,
  refuseAccess,
  refuseForeign,
  refuseType,
  STATE,
  type State,
  stateOf,
  valueState,
  withType,
} from './handle'
import { constant, constantHandle, lift, liftIndex } from './lift'
import type { OpenBlock, Session } from './session'

/** Handles of values and of places in memory, and the way into them: `.at(i)`, `.field`, `.x`, `.set(value)`. */

/** Handles of these have methods of their own (methods.ts). */
export class ArrayHandle extends Handle {}
export class AtomicHandle extends Handle {}
export class TextureHandle extends Handle {}
export class BufferHandle extends Handle {}
const CLASSES = { array: ArrayHandle, atomic: AtomicHandle, texture: TextureHandle, buffer: BufferHandle } as const

/** The handle of a state; what class it has, and what properties, follows from its type. */
function handleOf(state: State): Handle {
  const { type } = state
  if (typeof type === 'string') return new Handle(state)
  if (type.kind in CLASSES) return new CLASSES[type.kind as keyof typeof CLASSES](state)
  const handle = new Handle(state)
  if (type.kind === 'struct') {
    for (const { name, type: field } of type.fields) {
      Object.defineProperty(handle, name, {
        enumerable: true,
        get: () =>
          part(
            handle,
            Object.freeze({ kind: 'member', name, type: field }),
            `${state.label}.${name}`,
            homeOf([handle]),
          ),
      })
    }
  }
  return handle
}

/** A pure value. */
export const value = (node: Expr, home: OpenBlock, label: string): Handle => handleOf(valueState(node, home, label))

/** A place without steps: the whole of a variable, binding, pointer or view. */
export const rootPlace = (root: Root, type: Type): Place => Object.freeze({ kind: 'place', type, root, steps: [] })

/** A reference to a place; `node` is its value, if it was read already. */
export const reference = (
  place: Place,
  home: OpenBlock,
  access: Access,
  label: string,
  node: Expr | null = null,
): Handle => handleOf(stateOf(place.type, home, node, place, access, label))

/** A reference that is read where it is written, unless it cannot be. */
export const readReference = (place: Place, session: Session, access: Access, label: string): Handle => {
  const node = isValueName(place.type) && access !== 'write' ? load(session, place) : null
  return reference(place, session.current, access, label, node)
}

/** A part of a place that can be written is again a place; of anything else it is a value, which belongs to `home`. */
function part(handle: Handle, step: Step, label: string, home: OpenBlock): Handle {
  const s = handle[STATE]
  const { place, node } = s
  const { session } = home
  if (place === null || (node !== null && s.access === 'read'))
    return value(partOf(read(handle, session), step, session), home, label)
  s.used = true
  const steps = [...place.steps, step]
  const inner: Place = Object.freeze({ kind: 'place', type: step.type, root: place.root, steps })
  if (node === null || s.written) return readReference(inner, session, s.access, label)
  return reference(inner, session.current, s.access, label, Object.freeze(partOf(node, step, session)))
}

function partOf(of: Expr, step: Step, session: Session): Expr {
  const at = session.at()
  const { type } = step
  if (step.kind === 'member') return { kind: 'member', at, type, of, name: step.name }
  const { index } = step
  return index.kind === 'const' && isValueName(of.type) && !isMatrix(of.type)
    ? { kind: 'swizzle', at, type: type as ValueName, of, lanes: index.lanes }
    : { kind: 'index', at, type, of, index }
}

const ELEMENT = 'an element of '

/** `handle.at(index)`: an element, a column or a lane. */
export function step(handle: Handle, index: unknown): Handle {
  const s = handle[STATE]
  const { label } = s
  const [element, count] = elementOf(s)
  const home = homeOf([handle, index])
  const i = liftIndex(index, count, home.session, label)
  const inner = Object.freeze({ kind: 'index', index: i, type: element } as const)
  return part(handle, inner, label.startsWith(ELEMENT) ? label : ELEMENT + label, home)
}

/** What an array, matrix or vector is made of, and how many there are. */
function elementOf(s: State): readonly [Type, number | null] {
  const { type } = s
  if (isKind(type, 'array')) return [type.of, typeof type.count === 'number' ? type.count : null]
  if (isValueName(type)) {
    const { scalar, rows, cols } = factsOf(type)
    if (cols > 1) return [vectorName(scalar, rows), cols]
    if (rows > 1) return [scalar, rows]
  }
  return fail(
    'bad-type',
    `${withType(s)} has no elements`,
    isKind(type, 'struct') ? `its fields: ${type.fields.map((f) => f.name).join(', ')}` : undefined,
  )
}

/** The lanes that a swizzle names, from 0 on; -1 for a letter that is not of the set of the first. */
export function lanesOf(pattern: string): readonly number[] {
  const letters = /^[rgba]/.test(pattern) ? 'rgba' : 'xyzw'
  return Object.freeze(Array.from(pattern, (c) => letters.indexOf(c)))
}

/** `handle.x`, `handle.zyx`: one lane of a place is a place; anything else a value. */
export function swizzle(handle: Handle, pattern: string, lanes = lanesOf(pattern)): Handle {
  const { type, place, label } = handle[STATE]
  const { scalar, rows } = isValueName(type) && !isMatrix(type) ? factsOf(type) : NO_LANES
  const [first = -1] = lanes
  if (lanes.length < 1 || lanes.length > 4 || rows === 1 || lanes.some((lane) => lane < 0 || lane >= rows))
    fail(
      'bad-swizzle',
      `.${pattern} is not a part of ${spell(type)}`,
      rows > 1 ? `its lanes are ${'xyzw'.slice(0, rows)}` : 'only vectors have lanes',
    )
  if (lanes.length === 1 && place !== null) return step(handle, first)
  const home = homeOf([handle])
  const { session } = home
  const of = read(handle, session)
  return value(
    { kind: 'swizzle', at: session.at(), type: vectorName(scalar, lanes.length), of, lanes },
    home,
    `${label}.${pattern}`,
  )
}
const NO_LANES = { scalar: 'bool', rows: 1 } as const

/** The number of elements of an array; of one whose size only the host knows, an expression. */
export function lengthOf(handle: Handle): Handle {
  const { type, home, place, label } = handle[STATE]
  const { count } = type as ArrayType
  if (typeof count === 'number') return constantHandle(constant('u32', count))
  if (count !== null) return value({ kind: 'override', type: 'u32', name: count.override }, home, label)
  return bytesOrElements(place as Place, home, `the length of ${label}`)
}

/** The size of a binding: in elements of a runtime-sized array, in bytes of a buffer. */
export const bytesOrElements = (of: Place, home: OpenBlock, label: string): Handle =>
  value({ kind: 'length', at: home.session.at(), type: 'u32', of }, home, label)

/** `handle.set(value)`: a store, here and now. */
export function set(handle: Handle, given: unknown): void {
  const s = handle[STATE]
  const { place, label } = s
  if (place === null) fail('binding-access', `${label} is a value and cannot be written`, 'declare a variable: k.var')
  if (s.access === 'read') refuseAccess(s, 'written')
  const { session } = s.home
  refuseForeign(s, session, 'set')
  refuseType(s, 'set')
  const node = lift(given, s.type, session, `the value of ${label}`)
  s.written = true
  session.emit({ kind: 'store', at: session.at(), place, value: node })
}
