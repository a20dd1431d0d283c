import type { Expr, Place } from '../ir'
import { type Access, spell, type Type, type ValueName } from '../types'
import { fail, type OpenBlock, type Scope, type Session } from './context'

/** The state of a handle, under a symbol: fields of structs are properties of handles and may have any name. */
export const STATE: unique symbol = Symbol('weft')

/** What a handle stands for. A class, so that all have one shape: the builder makes thousands. */
export class State {
  used = false
  written = false

  constructor(
    readonly type: Type,
    /** The run of the builder that it belongs to; null for constants. */
    readonly session: Session | null,
    /** The body that it belongs to; null for what belongs to the module. */
    readonly scope: Scope | null,
    /** The block that made the value, for values of statements. */
    readonly home: OpenBlock | null,
    /** The expression; of a reference that reads at each mention, null. */
    public node: Expr | null,
    /** References only. */
    readonly place: Place | null,
    readonly access: Access,
    /** What to call it in messages. */
    readonly label: string,
    readonly at: number,
  ) {}
}

/**
 * What authors hold: an expression, or a reference to a place, together with the run of the builder that it belongs
 * to. The methods that build expressions are added to the prototype from the op table (methods.ts).
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
    if (hint === 'string') {
      return fail(
        'js-operator',
        `an expression of type ${this.type} is put into a JavaScript string`,
        `to build an expression from text, put the type before the template: ${tagOf(this.type)}\`\${a} + \${b}\``,
      )
    }
    return fail(
      'js-operator',
      `a JavaScript operator is applied to an expression of type ${this.type}`,
      `use a method (a.add(b), a.lt(b)) or a template (${tagOf(this.type)}\`\${a} + \${b}\`): JavaScript's operators cannot be overloaded`,
    )
  }

  toJSON(): string {
    return `<${this.type}>`
  }
}

const tagOf = (type: string): string => (/^\w+$/.test(type) ? type : 'f32')

export const isHandle = (x: unknown): x is Handle => typeof x === 'object' && x !== null && STATE in x

/** The run, the body and the innermost block that an expression belongs to. */
export interface Owner {
  readonly session: Session | null
  readonly scope: Scope | null
  readonly home: OpenBlock | null
}

export const NOBODY: Owner = { session: null, scope: null, home: null }

/** The state of a pure expression; it belongs where its operands belong. */
export const exprState = (node: Expr, owner: Owner, at: number, label = 'an expression'): State =>
  new State(node.type, owner.session, owner.scope, owner.home, node, null, 'read', label, at)

/** Where an expression of these operands belongs: a variable is read now, everything else was made where it was made. */
export function ownerOf(args: readonly unknown[]): Owner {
  let session: Session | null = null
  let scope: Scope | null = null
  let home: OpenBlock | null = null
  for (const arg of args) {
    if (!isHandle(arg)) continue
    const s = arg[STATE]
    session ??= s.session
    const now = s.place !== null && s.node === null && s.session !== null
    const at = now ? (s.session as Session).scope : s.scope
    const block = now ? (at as Scope).current : s.home
    scope ??= at
    if (block !== null && (home === null || block.depth > home.depth)) home = block
  }
  return { session, scope, home }
}

/** The state of a value made by a statement of the current block. */
export const valueState = (node: Expr, scope: Scope, at: number, label = 'a value'): State =>
  new State(node.type, scope.session, scope, scope.current, node, null, 'read', label, at)

/** Refuses what is of another kernel, of another body, or of a block that has ended. */
export function checkUsable(s: State, session: Session | null): void {
  if (s.session === null) return
  if (session !== null && s.session !== session) {
    fail(
      'foreign-expression',
      `${s.label} of kernel '${s.session.kernelName}' is used in kernel '${session.kernelName}'`,
      'an expression belongs to the kernel whose body made it: declare a binding or a param instead',
    )
  }
  const scope = s.session.scope
  if (s.scope !== null && s.scope !== scope) {
    fail('foreign-expression', `${s.label} of ${s.scope.owner} is used in ${scope.owner}`, 'pass it as an argument')
  }
  if (s.home !== null && !s.home.open) {
    fail(
      'out-of-scope',
      `${s.label} of type ${spell(s.type)} is used outside the block that made it`,
      'declare a variable before the block (k.var) and set it inside',
    )
  }
}
