import type { Expr, Place, Step } from '../ir'
import type { EffectName } from '../ops'
import {
  type ArrayType,
  factsOf,
  isMatrix,
  isValue,
  scalarOf,
  spell,
  type Type,
  type ValueName,
  vectorName,
} from '../types'
import { apply } from './apply'
import { fail, type Scope, type Session } from './context'
import { exprState, Handle, NOBODY, type Owner, ownerOf, STATE, State, valueState } from './handle'
import { constant, lift, liftIndex } from './lift'
import type { RefOptions } from './place'
import { load, read } from './read'
import { bufferRef, textureRef } from './resources'

/** References: places in memory, spelled as authors do — `.at(i)`, `.field`, `.x` — and read, set, updated atomically. */
export class Ref extends Handle {
  get place(): Place {
    return this[STATE].place as Place
  }

  set(value: unknown): void {
    const s = this[STATE]
    const session = refuseWrite(s)
    const v = lift(value, s.type, session, `the value of ${s.label}`)
    s.written = true
    session.scope.emit({ kind: 'store', at: session.at(), place: this.place, value: v })
  }
}

for (const [name, op] of [
  ['add', 'add'],
  ['sub', 'sub'],
  ['mul', 'mul'],
  ['div', 'div'],
  ['rem', 'rem'],
  ['and', 'bitAnd'],
  ['or', 'bitOr'],
  ['xor', 'bitXor'],
  ['shl', 'shl'],
  ['shr', 'shr'],
] as const) {
  Object.defineProperty(Ref.prototype, `${name}Assign`, {
    value(this: Ref, value: unknown): void {
      this.set(apply(op, [this, value]))
    },
  })
}

function refuseWrite(s: State): Session {
  const session = s.session as Session
  if (s.access === 'read') {
    fail(
      'binding-access',
      `${s.label} is an input and cannot be written`,
      'declare it inout(…) to read and write it, or output(…) to write it',
    )
  }
  if (s.scope !== null && s.scope !== session.scope)
    fail(
      'foreign-expression',
      `${s.label} of ${s.scope.owner} is set in ${session.scope.owner}`,
      'pass it as a pointer: ptr(…)',
    )
  if (s.home !== null && !s.home.open) fail('out-of-scope', `${s.label} is set outside the block that declares it`)
  return session
}

/** An array in memory. */
export class ArrayRef extends Ref {
  at(...indices: unknown[]): Handle {
    return indices.reduce<Handle>((h, index) => step(h, index), this)
  }

  get length(): Handle {
    const s = this[STATE]
    const type = s.type as ArrayType
    if (typeof type.count === 'number') return new Handle(exprState(constant('u32', type.count), NOBODY, 0))
    const session = s.session as Session
    const owner = { session, scope: s.scope, home: s.home }
    if (type.count !== null)
      return new Handle(
        exprState(Object.freeze({ kind: 'override', type: 'u32', name: type.count.override }), owner, 0),
      )
    const at = session.at()
    return new Handle(
      exprState(
        Object.freeze({ kind: 'length', at, type: 'u32', of: this.place }),
        owner,
        at,
        `the length of ${s.label}`,
      ),
    )
  }
}

/** An atomic in memory. */
export class AtomicRef extends Handle {}

const ATOMICS = {
  add: 'atomicAdd',
  sub: 'atomicSub',
  max: 'atomicMax',
  min: 'atomicMin',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exchange: 'atomicExchange',
  load: 'atomicLoad',
  store: 'atomicStore',
} as const satisfies Record<string, EffectName>
for (const [name, op] of Object.entries(ATOMICS)) {
  Object.defineProperty(AtomicRef.prototype, name, {
    value(this: AtomicRef, ...args: unknown[]): Handle | undefined {
      return atomic(this, op, args)
    },
  })
}
Object.defineProperty(AtomicRef.prototype, 'compareExchangeWeak', {
  value(this: AtomicRef, expected: unknown, value: unknown): { old: Handle; exchanged: Handle } {
    const { scope, at, of } = atomicTarget(this, 'atomicCompareExchangeWeak')
    const args = [expected, value].map((v) => lift(v, of, scope.session, 'an argument of compareExchangeWeak'))
    const old = scope.result(of)
    const exchanged = scope.result('bool')
    scope.emit({
      kind: 'effect',
      at,
      op: 'atomicCompareExchangeWeak',
      place: this[STATE].place,
      args,
      result: old,
      exchanged,
      majorness: null,
    })
    return { old: new Handle(valueState(old, scope, at)), exchanged: new Handle(valueState(exchanged, scope, at)) }
  },
})

function atomicTarget(ref: AtomicRef, op: EffectName): { scope: Scope; at: number; of: 'i32' | 'u32' } {
  const s = ref[STATE]
  const session = s.session as Session
  if (s.access === 'read')
    fail('binding-access', `${s.label} is an input: ${op} needs memory that can be written`, 'declare it inout(…)')
  return { scope: session.scope, at: session.at(), of: (s.type as { of: 'i32' | 'u32' }).of }
}

function atomic(ref: AtomicRef, op: EffectName, values: unknown[]): Handle | undefined {
  const { scope, at, of } = atomicTarget(ref, op)
  const args = values.map((v) => lift(v, of, scope.session, `the argument of ${op}`))
  const result = op === 'atomicStore' ? null : scope.result(of)
  scope.emit({ kind: 'effect', at, op, place: ref[STATE].place, args, result, exchanged: null, majorness: null })
  if (result) return new Handle(valueState(result, scope, at))
}

/** A reference to `place`; what class it has, and what properties, follows from its type. */
export function makeRef(place: Place, o: RefOptions): Handle {
  const { type } = place
  const state = new State(
    type,
    o.session,
    o.scope,
    o.scope?.current ?? null,
    o.known ?? null,
    place,
    o.access,
    o.label,
    0,
  )
  if (isValue(type)) {
    if (o.eager && state.node === null && o.access !== 'write') state.node = load(state, place)
    return new Ref(state)
  }
  switch (type.kind) {
    case 'array':
      return new ArrayRef(state)
    case 'atomic':
      return new AtomicRef(state)
    case 'struct': {
      const ref = new Ref(state)
      for (const field of type.fields) {
        Object.defineProperty(ref, field.name, { enumerable: true, get: () => member(ref, field.name, field.type) })
      }
      return ref
    }
    case 'texture':
      return textureRef(state, type)
    case 'buffer':
      return bufferRef(state, makeRef)
    default:
      return new Ref(state)
  }
}

const extend = (place: Place, step: Step): Place =>
  Object.freeze({ ...place, type: step.type, steps: [...place.steps, Object.freeze(step)] })

function member(ref: Handle, name: string, type: Type): Handle {
  const s = ref[STATE]
  return child(s, extend(s.place as Place, { kind: 'member', name, type }), `${s.label}.${name}`)
}

function child(s: State, place: Place, label: string, known?: Expr): Handle {
  s.used = true
  const session = s.session as Session
  return makeRef(place, {
    session,
    scope: session.scope,
    access: s.access,
    label,
    eager: true,
    ...(known ? { known } : {}),
  })
}

/** `handle.at(index)`: an element, a column or a lane; of a reference, again a reference. */
export function step(handle: Handle, index: unknown): Handle {
  const s = handle[STATE]
  const [type, count] = elementOf(s.type, s.label)
  const i = liftIndex(index, count, s.session, s.label)
  const label = `an element of ${s.label.replace(/^an element of /, '')}`
  if (s.place !== null && (s.node === null || s.access !== 'read')) {
    const known = s.node === null || s.written ? undefined : indexOf(s, type, i)
    return child(s, extend(s.place, { kind: 'index', index: i, type }), label, known)
  }
  const owner = ownerOf([handle, index])
  const of = read(handle, s.session)
  const at = s.session?.at() ?? -1
  return wrapValue(indexValue(of, type, i, at), owner, at, label)
}

const indexOf = (s: State, type: Type, i: Expr): Expr =>
  indexValue(s.node as Expr, type, i, (s.session as Session).at())

function indexValue(of: Expr, type: Type, index: Expr, at: number): Expr {
  if (index.kind === 'const' && typeof of.type === 'string' && !isMatrix(of.type)) {
    return Object.freeze({ kind: 'swizzle', at, type: type as ValueName, of, lanes: [index.lanes[0] as number] })
  }
  return Object.freeze({ kind: 'index', at, type, of, index })
}

export function elementOf(type: Type, label: string): [Type, number | null] {
  if (typeof type !== 'string') {
    if (type.kind === 'array') return [type.of, typeof type.count === 'number' ? type.count : null]
    return fail(
      'bad-type',
      `${label} of type ${spell(type)} has no elements`,
      type.kind === 'struct' ? `its fields: ${type.fields.map((f) => f.name).join(', ')}` : undefined,
    )
  }
  const { scalar, rows, cols } = factsOf(type)
  if (cols > 1) return [vectorName(scalar, rows), cols]
  return rows > 1 ? [scalar, rows] : fail('bad-type', `${label} of type ${type} has no elements`)
}

/** A pure value derived from the value of `s`, with properties for the fields of structs. */
export const wrapValue = (node: Expr, owner: Owner, at: number, label: string): Handle =>
  makeValue(exprState(node, owner, at, label))

/** A handle of a value; of a struct with its fields, of an array with `length`. */
export function makeValue(state: State): Handle {
  const handle = new Handle(state)
  const { type } = state
  if (typeof type === 'string') return handle
  if (type.kind === 'struct') {
    for (const field of type.fields) {
      Object.defineProperty(handle, field.name, {
        enumerable: true,
        get: () => {
          const of = read(handle, state.session)
          const at = state.session?.at() ?? -1
          return wrapValue(
            Object.freeze({ kind: 'member', at, type: field.type, of, name: field.name }),
            state,
            at,
            `${state.label}.${field.name}`,
          )
        },
      })
    }
  } else if (type.kind === 'array' && typeof type.count === 'number') {
    const { count } = type
    Object.defineProperty(handle, 'length', { get: () => new Handle(exprState(constant('u32', count), NOBODY, 0)) })
  }
  return handle
}

const LANE_NAMES = ['xyzw', 'rgba'] as const

/** `handle.x`, `handle.zyx`: one lane of a reference is a reference; anything else a value. */
export function swizzle(handle: Handle, pattern: string): Handle {
  const s = handle[STATE]
  const { type } = s
  const set = LANE_NAMES.find((names) => [...pattern].every((c) => names.includes(c)))
  const rows = typeof type === 'string' && !isMatrix(type) ? factsOf(type).rows : 1
  const lanes = set ? [...pattern].map((c) => set.indexOf(c)) : []
  if (typeof type !== 'string' || rows === 1 || lanes.length < 1 || lanes.length > 4 || lanes.some((l) => l >= rows)) {
    return fail(
      'bad-swizzle',
      `.${pattern} is not a part of ${spell(type)}`,
      rows > 1 ? `its lanes are ${'xyzw'.slice(0, rows)}` : 'only vectors have lanes',
    )
  }
  if (lanes.length === 1 && s.place !== null) return step(handle, lanes[0])
  const owner = ownerOf([handle])
  const of = read(handle, s.session)
  const at = s.session?.at() ?? -1
  const node: Expr = Object.freeze({
    kind: 'swizzle',
    at,
    type: vectorName(scalarOf(type), lanes.length),
    of,
    lanes: Object.freeze(lanes),
  })
  return wrapValue(node, owner, at, s.label)
}
