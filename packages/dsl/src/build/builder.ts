import { EFFECTS, type EffectName, type EffectRow, type PureName, type Slot } from '../ops'
import { slotType } from '../ops'
import type { Block, Expr as Node, Place, Variable } from '../ir'
import { isConstructible, isValueName, laneCount, spell, type Type, type ValueName } from '../types'
import { apply } from './apply'
import { fail, type Scope, type Session } from './context'
import { exprState, Handle, isHandle, NOBODY, STATE, valueState, type Owner } from './handle'
import { constant, describe, lift, literal, splat } from './lift'
import { checkName } from './names'
import { read } from './read'
import { makeRef, makeValue, Ref, rootPlace, wrapValue } from './ref'
import { typeFrom } from './schema'
import type { Builder } from './builder-types'
import { control } from './control'

/** What the builder of one body is made of; `control.ts` adds the statements with blocks. */
export interface Body {
  readonly session: Session
  /** The number of invocations of a workgroup, where it is fixed. */
  readonly invocations: number | null
  readonly variant: string
}

/** The value of `x`, which must be an expression or a JavaScript value that a type can be given. */
export function valueOf(x: unknown, what: string): Handle {
  if (isHandle(x)) return x
  if (typeof x === 'boolean') return new Handle(exprState(constant('bool', x), NOBODY, 0))
  if (typeof x === 'number') return fail('untyped-number', `${what} is the number ${x}, which has no type`, `give it one: f32(${x}), u32(${x}), …`)
  return fail('bad-argument', `${what} is ${describe(x)}`, 'an expression is expected')
}

function named<R>(first: unknown, rest: readonly unknown[], one: (name: string, ...rest: unknown[]) => R): R | Record<string, R> {
  if (typeof first === 'object' && first !== null && !isHandle(first)) {
    return Object.fromEntries(Object.entries(first).map(([name, value]) => [name, one(name, value)]))
  }
  return one(first as string, ...rest)
}

export function makeBuilder(body: Body): Builder {
  const { session } = body
  const builtin = (name: Extract<Node, { kind: 'builtin' }>['name'], type: 'u32' | 'vec3u'): Handle =>
    new Handle(exprState(Object.freeze({ kind: 'builtin', type, name }), module(session), 0, `built-in ${name}`))

  const k = {
    ...declarations(body),
    ...effects(session),
    ...control(session),
    get localIndex() { return builtin('local_invocation_index', 'u32') },
    get localId() { return builtin('local_invocation_id', 'vec3u') },
    get globalId() { return builtin('global_invocation_id', 'vec3u') },
    get workgroupId() { return builtin('workgroup_id', 'vec3u') },
    get numWorkgroups() { return builtin('num_workgroups', 'vec3u') },
    get subgroupSize() { return builtin('subgroup_size', 'u32') },
    get subgroupInvocationId() { return builtin('subgroup_invocation_id', 'u32') },
    get subgroupId() { return builtin('subgroup_id', 'u32') },
    get numSubgroups() { return builtin('num_subgroups', 'u32') },
    get workgroupIndex() {
      return linear(session, builtin('workgroup_id', 'vec3u'), builtin('num_workgroups', 'vec3u'))
    },
    get globalIndex() {
      const group = linear(session, builtin('workgroup_id', 'vec3u'), builtin('num_workgroups', 'vec3u'))
      return quiet(apply('add', [quiet(apply('mul', [group, workgroupSize(body)])), builtin('local_invocation_index', 'u32')]))
    },
    get workgroupSize() { return workgroupSize(body) },
    variant: body.variant,
  }
  return Object.freeze(k) as unknown as Builder
}

const module = (session: Session): Owner => ({ session, scope: null, home: null })

const workgroupSize = (body: Body): number =>
  body.invocations ?? fail('bad-argument', 'the workgroup size is set by overrides, so its product is not known here', 'use the overrides, or fixed numbers in workgroupSize')

/** What weft itself puts in is not reported as unused. */
const quiet = (h: Handle): Handle => {
  h[STATE].used = true
  return h
}

/** The index of the workgroup over all dimensions, x fastest. */
function linear(session: Session, id: Handle, count: Handle): Handle {
  const lane = (of: Handle, i: number): Handle =>
    wrapValue(Object.freeze({ kind: 'swizzle', at: session.at(), type: 'u32', of: read(of, session), lanes: [i] }), module(session), 0, 'a built-in')
  const op = (name: PureName, a: Handle, b: Handle): Handle => quiet(apply(name, [a, b]))
  return op('add', op('mul', op('add', op('mul', lane(id, 2), lane(count, 1)), lane(id, 1)), lane(count, 0)), lane(id, 0))
}

function declarations(body: Body): Record<string, unknown> {
  const { session } = body
  const letOne = (name: string, value: unknown): Handle => {
    checkName(name, 'a let')
    const node = read(valueOf(value, `the value of '${name}'`), session)
    const { scope } = session
    const at = session.at()
    const result = scope.result(node.type)
    scope.emit({ kind: 'let', at, name, value: node, result })
    return makeValue(valueState(result, scope, at, `'${name}'`))
  }
  const varOne = (name: string, init: unknown): Handle => {
    checkName(name, 'a variable')
    const { scope } = session
    const node = isHandle(init) || typeof init === 'number' || typeof init === 'boolean' ? read(valueOf(init, `the first value of '${name}'`), session) : null
    const type = node ? node.type : typeFrom(init, name)
    if (!isConstructible(type)) fail('bad-type', `a variable cannot be of type ${spell(type)}`)
    const variable: Variable = { id: session.id(), name, space: 'function', type, init: node }
    scope.emit({ kind: 'var', at: session.at(), variable })
    return makeRef(rootPlace({ kind: 'variable', id: variable.id }, type), { session, scope, access: 'read_write', label: `'${name}'`, eager: false })
  }
  const moduleVar = (space: 'workgroup' | 'private', name: string, type: Type, init: Node | null): Handle => {
    const variable: Variable = { id: session.id(), name: checkName(name, `a ${space} variable`), space, type, init }
    session.variables.push(variable)
    return makeRef(rootPlace({ kind: 'variable', id: variable.id }, type), { session, scope: null, access: 'read_write', label: `'${name}'`, eager: false })
  }
  return {
    let: (first: unknown, ...rest: unknown[]) => named(first, rest, letOne),
    var: (first: unknown, ...rest: unknown[]) => named(first, rest, varOne),
    workgroup: (name: string, schema: unknown, ...counts: unknown[]) => moduleVar('workgroup', name, arrayOf(typeFrom(schema, name), counts.flat()), null),
    private: (name: string, init: unknown) => {
      const node = isHandle(init) ? read(init, session) : null
      return moduleVar('private', name, node ? node.type : typeFrom(init, name), node)
    },
    const: (name: string, schema: unknown, values: unknown) => constantDecl(session, name, typeFrom(schema, name), values),
  }
}

function arrayOf(element: Type, counts: readonly unknown[]): Type {
  return counts.reduceRight<Type>((of, count) => {
    if (isHandle(count)) {
      const node = count[STATE].node
      if (node?.kind === 'override') return { kind: 'array', of, count: { override: node.name } }
    }
    if (typeof count === 'number' && Number.isInteger(count) && count > 0) return { kind: 'array', of, count }
    return fail('bad-type', `an array of ${describe(count)} elements`, 'a count is a positive integer or an override')
  }, element)
}

function constantDecl(session: Session, name: string, type: Type, values: unknown): Handle {
  checkName(name, 'a constant')
  const isList = Array.isArray(values) || ArrayBuffer.isView(values)
  const whole = isList && isValueName(type) && (values as { length: number }).length !== laneCount(type)
  const full: Type = whole ? { kind: 'array', of: type, count: (values as { length: number }).length } : type
  session.constants.push({ name, type: full, value: literalOf(full, values, name) })
  return makeValue(exprState(Object.freeze({ kind: 'constant', type: full, name }), module(session), session.at(), `'${name}'`))
}

function literalOf(type: Type, value: unknown, what: string): Node {
  const list = (): unknown[] => Array.from(value as ArrayLike<unknown>)
  if (typeof type === 'string') {
    if (laneCount(type) === 1 || typeof value === 'number') return constant(type, value)
    const lanes = list().map((x) => literal(constant(type, 0).type === type ? (type.includes('bool') ? 'bool' : scalarName(type)) : 'f32', x))
    if (lanes.length !== laneCount(type)) fail('bad-argument', `constant '${what}' of type ${type} is given ${lanes.length} lanes`)
    return Object.freeze({ kind: 'const', type, lanes })
  }
  if (type.kind === 'array' && value !== null && typeof value === 'object') {
    const args = list().map((x, i) => literalOf(type.of, x, `${what}[${i}]`))
    if (args.length !== type.count) fail('bad-argument', `constant '${what}' of type ${spell(type)} is given ${args.length} elements`)
    return Object.freeze({ kind: 'construct', at: -1, type, args })
  }
  if (type.kind === 'struct' && value !== null && typeof value === 'object') {
    return Object.freeze({ kind: 'construct', at: -1, type, args: type.fields.map((f) => literalOf(f.type, (value as Record<string, unknown>)[f.name], `${what}.${f.name}`)) })
  }
  return fail('bad-argument', `constant '${what}' of type ${spell(type)} is given ${describe(value)}`)
}

const scalarName = (type: ValueName): 'f16' | 'f32' | 'i32' | 'u32' => (type.endsWith('h') ? 'f16' : type.endsWith('i') ? 'i32' : type.endsWith('u') ? 'u32' : 'f32')

function effects(session: Session): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [op, row] of Object.entries(EFFECTS) as [EffectName, EffectRow][]) {
    if (row.family === 'barrier' && row.place === undefined) out[op] = () => emitEffect(session, op, null, [], null)
    if (row.family === 'subgroup' || row.family === 'quad') out[op] = (...args: unknown[]) => exchange(session, op, row, args)
  }
  out['workgroupUniformLoad'] = (ref: unknown) => {
    const place = placeOf(ref, 'workgroupUniformLoad')
    const of = typeof place.type === 'object' && place.type.kind === 'atomic' ? place.type.of : place.type
    return emitEffect(session, 'workgroupUniformLoad', place, [], of)
  }
  for (const op of ['subgroupMatrixMultiply', 'subgroupMatrixMultiplyAccumulate', 'subgroupMatrixScalarAdd', 'subgroupMatrixScalarSubtract', 'subgroupMatrixScalarMultiply'] as const) {
    out[op] = (...args: unknown[]) => matrixOp(session, op, args)
  }
  out['subgroupMatrixLoad'] = (schema: unknown, ref: unknown, offset: unknown, stride: unknown, majorness: 'row' | 'col' = 'row') =>
    emitEffect(session, 'subgroupMatrixLoad', placeOf(ref, 'subgroupMatrixLoad'), [u32Arg(session, offset), u32Arg(session, stride)], typeFrom(schema, 'subgroupMatrixLoad'), majorness)
  out['subgroupMatrixStore'] = (ref: unknown, offset: unknown, matrix: unknown, stride: unknown, majorness: 'row' | 'col' = 'row') =>
    emitEffect(session, 'subgroupMatrixStore', placeOf(ref, 'subgroupMatrixStore'), [u32Arg(session, offset), read(valueOf(matrix, 'the matrix'), session), u32Arg(session, stride)], null, majorness)
  return out
}

const u32Arg = (session: Session, x: unknown): Node => lift(x, 'u32', session, 'an offset or stride')

export function placeOf(ref: unknown, what: string): Place {
  const place = isHandle(ref) ? ref[STATE].place : null
  if (place === null) return fail('bad-argument', `${what} is given ${describe(ref)}`, 'it needs a variable, an element of one or a binding')
  ;(ref as Handle)[STATE].used = true
  return place
}

export function emitEffect(session: Session, op: EffectName, place: Place | null, args: readonly Node[], out: Type | null, majorness: 'row' | 'col' | null = null): Handle | undefined {
  const { scope } = session
  const at = session.at()
  const result = out === null ? null : scope.result(out)
  scope.emit({ kind: 'effect', at, op, place, args, result, exchanged: null, majorness })
  return result === null ? undefined : makeValue(valueState(result, scope, at, `the value of ${op}`))
}

/** Subgroup and quad operations. */
function exchange(session: Session, op: EffectName, row: EffectRow, args: readonly unknown[]): Handle | undefined {
  if (args.length !== row.in.length) fail('no-overload', `${op} takes ${row.in.length} arguments, and was given ${args.length}`)
  let t: ValueName = 'u32'
  if (row.in[0] === 'T') {
    const first = valueOf(args[0], `the argument of ${op}`)
    if (!row.over.includes(first.type)) fail('no-overload', `${op} does not take ${first.type}`, `it takes ${row.over.join(', ')}`)
    t = first.type
  }
  const lifted = row.in.map((slot, i) => {
    const type = slot === 'const:u32' || slot === 'uniform:u32' ? 'u32' : slotType(slot as Slot, t)
    if (slot === 'const:u32' && typeof args[i] !== 'number') fail('not-constant', `argument ${i + 1} of ${op} must be a constant`, 'give a JavaScript number; for a variable lane use subgroupShuffle')
    return lift(args[i], type, session, `argument ${i + 1} of ${op}`)
  })
  return emitEffect(session, op, null, lifted, slotType(row.out as Slot, t))
}

function matrixOp(session: Session, op: EffectName, args: readonly unknown[]): Handle | undefined {
  const first = valueOf(args[0], `the argument of ${op}`)
  const type = first[STATE].type
  if (typeof type === 'string' || type.kind !== 'subgroup_matrix') return fail('type-mismatch', `${op} is given ${first.type} where a subgroup matrix is expected`)
  if (op.includes('Scalar')) {
    const scalar = type.of === 'i8' ? 'i32' : type.of === 'u8' ? 'u32' : type.of
    return emitEffect(session, op, null, [read(first, session), lift(args[1], scalar, session, `the scalar of ${op}`)], type)
  }
  const nodes = args.map((a) => read(valueOf(a, `an argument of ${op}`), session))
  const [, right, acc] = nodes.map((n) => (typeof n.type === 'object' && n.type.kind === 'subgroup_matrix' ? n.type : null))
  if (!right || type.role !== 'left' || right.role !== 'right' || type.cols !== right.rows || nodes.length !== (op === 'subgroupMatrixMultiply' ? 2 : 3)) {
    return fail('type-mismatch', `${op}(${nodes.map((n) => spell(n.type)).join(', ')}) does not exist`, 'it takes a left M×K, a right K×N and, to accumulate, a result M×N')
  }
  return emitEffect(session, op, null, nodes, acc ?? { kind: 'subgroup_matrix', role: 'result', of: type.of, cols: right.cols, rows: type.rows })
}

export type { Block, Scope }
export { Ref, splat }
