import type { Code } from '../diagnostics'
import type { Expr, Place } from '../ir'
import { type Access, isConstructible, isKind, spell, type Type, type ValueName } from '../types'
import { fail } from './fail'
import { NOWHERE, type OpenBlock, type Session } from './session'

/** The state of a handle, under a symbol: fields of structs are properties of handles and may have any name. */
export const STATE: unique symbol = Symbol('weft')

/** What a handle stands for. */
export interface State {
  readonly type: Type
  /** The block that it was made in, or that declares it. */
  readonly home: OpenBlock
  /** The expression; null where it is read at each mention, as a variable is. */
  readonly node: Expr | null
  /** Of a reference: what it refers to. */
  readonly place: Place | null
  readonly access: Access
  /** What to call it in messages. */
  readonly label: string
  used: boolean
  written: boolean
}

/** The state of a value. All states have one shape: the builder makes thousands. */
export const valueState = (node: Expr, home: OpenBlock, label: string): State =>
  stateOf(node.type, home, Object.freeze(node), null, 'read', label)

export const stateOf = (
  type: Type,
  home: OpenBlock,
  node: Expr | null,
  place: Place | null,
  access: Access,
  label: string,
): State => ({ type, home, node, place, access, label, used: false, written: false })

/**
 * What authors hold: an expression, or a reference to a place, and where it belongs. Operators, lanes and assignment
 * are added to the prototype from the op table (methods.ts).
 */
export class Handle {
  readonly [STATE]: State

  constructor(state: State) {
    this[STATE] = state
  }

  get type(): ValueName {
    return spell(this[STATE].type) as ValueName
  }

  [Symbol.toPrimitive](hint: string): never {
    const { type } = this
    const tag = /^\w+$/.test(type) ? type : 'f32'
    return fail(
      'js-operator',
      hint === 'string'
        ? `an expression of type ${type} is put into a JavaScript string`
        : `a JavaScript operator is applied to an expression of type ${type}`,
      `use a method (a.add(b), a.lt(b)), or put the type before a template: ${tag}\`\${a} + \${b}\``,
    )
  }

  toJSON(): string {
    return `<${this.type}>`
  }
}

export const isHandle = (x: unknown): x is Handle => x instanceof Handle

/** A JavaScript value that a scalar type can be given. */
export const isPlain = (x: unknown): x is number | boolean => typeof x === 'number' || typeof x === 'boolean'

/** What an array may have so many of. */
export const isCount = (x: unknown): x is number => typeof x === 'number' && Number.isInteger(x) && x > 0

export const isList = (x: unknown): x is ArrayLike<unknown> =>
  typeof x === 'object' && x !== null && typeof (x as { length?: unknown }).length === 'number'

/** What an author wrote, for messages. */
export function describe(x: unknown): string {
  if (isHandle(x)) return `an expression of type ${x.type}`
  if (typeof x === 'string') return `the string ${JSON.stringify(x)}`
  if (typeof x === 'function') return `the function ${x.name || '(anonymous)'}`
  if (x === null || typeof x !== 'object') return String(x)
  return isList(x) ? `an array of ${x.length}` : `an object (${Object.keys(x).slice(0, 4).join(', ')})`
}

/** `what` must be something else than what was given. */
export function expected(code: Code, what: string, must: string, given: unknown, note?: string): never {
  fail(code, `${what} must be ${must}, and is ${describe(given)}`, note)
}

/** How many of something, in words. */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Refuses arguments that are too many or too few. */
export function checkCount(name: string, count: number, given: readonly unknown[]): void {
  if (given.length !== count)
    fail('no-overload', `${name} takes ${counted(count, 'argument')}, and was given ${given.length}`)
}

/** There is no form of `name` for what was given. */
export function noForm(name: string, given: readonly unknown[], note: string): never {
  const types = given.map((x) => (isHandle(x) ? x.type : describe(x)))
  return fail('no-overload', `${name}(${types.join(', ')}) does not exist`, note)
}

/** A handle and its type, for messages. */
export const withType = ({ label, type }: State): string => `${label} of type ${spell(type)}`

/** Where an expression of these operands belongs: a variable is read now, everything else was made where it was made. */
export function homeOf(operands: readonly unknown[]): OpenBlock {
  let home = NOWHERE
  for (const operand of operands) {
    if (!isHandle(operand)) continue
    const s: State = operand[STATE]
    const block = s.node === null ? s.home.session.current : s.home
    if (home === NOWHERE || (block.depth > home.depth && block.session === home.session)) home = block
  }
  return home
}

/**
 * The expression of a handle, checked to be usable here: not of another kernel, not of another body, not of a block that
 * has ended. What was made by `.at(…)` or a lane was read when it was made; a variable is read now, at its mention.
 */
export function read(handle: Handle, session: Session): Expr {
  const s = handle[STATE]
  const { home, node, place } = s
  s.used = true
  if (home === NOWHERE) return node as Expr
  refuseForeign(s, session, 'used')
  if (place === null) return node as Expr
  if (s.access === 'write') refuseAccess(s, 'read')
  if (node === null) {
    refuseType(s, 'read')
    return load(home.session, place)
  }
  if (s.written) {
    fail(
      'stale-read',
      `${s.label} is read after it was set, but its value is the one from before`,
      'read it again: write the .at(…) once more, or keep the new value with k.let',
    )
  }
  return node
}

export function refuseForeign(s: State, session: Session, verb: 'used' | 'set'): void {
  const { home } = s
  const own = home.session
  if (own !== session) {
    fail(
      'foreign-expression',
      `${s.label} of kernel '${own.kernelName}' is ${verb} in kernel '${session.kernelName}'`,
      'declare a binding or a param instead',
    )
  }
  const { scope } = session
  if (home.scope !== null && home.scope !== scope) {
    fail(
      'foreign-expression',
      `${s.label} of ${home.scope.owner} is ${verb} in ${scope.owner}`,
      'pass it as an argument: a value, or a pointer (ptr) to set it',
    )
  }
  if (!home.open) {
    fail(
      'out-of-scope',
      `${withType(s)} is ${verb} outside the block that made it`,
      'declare a variable before the block (k.var) and set it inside',
    )
  }
}

export const refuseAccess = (s: State, verb: 'read' | 'written'): never =>
  fail(
    'binding-access',
    `${s.label} is an ${verb === 'read' ? 'output' : 'input'} and cannot be ${verb}`,
    'declare it inout(…) to read and write it',
  )

/** Not every type has values: no atomic, no array of unknown size, no texture. */
export function refuseType(s: State, verb: 'read' | 'set'): void {
  if (isConstructible(s.type)) return
  const note = isKind(s.type, 'atomic') ? 'use its methods: .load(), .store(…), …' : `${verb} its elements: .at(i)`
  fail('bad-type', `${withType(s)} cannot be ${verb} as a value`, note)
}

/** Emits a load, here and now. */
export function load(session: Session, place: Place): Expr {
  const result = session.result(place.type)
  session.emit({ kind: 'load', at: session.at(), place, result })
  return result
}
