import type { Func, FuncParam } from '../ir'
import type { ValueName } from '../types'
import { type PtrType, sameType, spell, type Type } from '../types'
import { makeBuilder } from './builder'
import type { Builder } from './builder-types'
import { fail, Scope, type Session } from './context'
import { CALL } from './control'
import type { PtrDecl } from './declarations'
import { placeOf } from './effects'
import { exprState, type Handle, isHandle, ownerOf, valueState } from './handle'
import { describe, lift } from './lift'
import { checkName } from './names'
import { rootPlace } from './place'
import { read } from './read'
import { makeRef, makeValue } from './ref'
import { typeFrom } from './schema'
import type { Arg, Expr, Ref, ShapeOf, Value } from './types'

/** How the body of a function sees its parameters, and what callers give for them. */
type Inside<P> = { [K in keyof P]: P[K] extends PtrDecl<infer S> ? Ref<ShapeOf<S>> : Value<ShapeOf<P[K]>> }
type Outside<P> = {
  [K in keyof P]: P[K] extends PtrDecl<infer S>
    ? Ref<ShapeOf<S>>
    : ShapeOf<P[K]> extends infer T extends ValueName
      ? Arg<T>
      : Value<ShapeOf<P[K]>>
}

/**
 * A WGSL function, called like a JavaScript one. `signature` gives its name and the names of its parameters,
 * `params` their types; `ptr(…)` makes a parameter a pointer, which a variable is passed to. The last argument of
 * the body is the builder. The value that the body gives (or passes to `k.return`) is the result.
 *
 *     const gelu = func('gelu(x)', [f32], (x) => f32`0.5 * ${x} * (1 + tanh(0.7978845608 * (${x} + 0.044715 * ${x} * ${x} * ${x})))`)
 */
export function func<const P extends readonly unknown[], R>(
  signature: string,
  params: P,
  body: (...args: [...Inside<P>, Builder]) => R,
): (...args: Outside<P>) => R extends Expr<infer T> ? Expr<T> : R {
  const f = new FunctionSource(signature, params, body as (...args: never[]) => unknown)
  const call = (...args: unknown[]): unknown => {
    const { session } = ownerOf(args)
    if (session === null)
      return fail(
        'bad-argument',
        `${f.name} is called without an expression of a kernel among its arguments`,
        `say which kernel calls it: k.call(${f.name}, …)`,
      )
    return f.call(session, args)
  }
  Object.defineProperties(call, {
    name: { value: f.name },
    [CALL]: { value: (s: Session, a: readonly unknown[]) => f.call(s, a) },
  })
  return call as unknown as (...args: Outside<P>) => R extends Expr<infer T> ? Expr<T> : R
}

const SIGNATURE = /^\s*([^\s(]+)\s*\(([^)]*)\)\s*$/u

class FunctionSource {
  readonly name: string
  private readonly names: readonly string[]
  private readonly paramsOf = new WeakMap<Session, readonly FuncParam[]>()

  constructor(
    signature: string,
    private readonly types: readonly unknown[],
    private readonly body: (...args: never[]) => unknown,
  ) {
    const found = SIGNATURE.exec(String(signature))
    if (!found)
      fail(
        'bad-name',
        `'${String(signature)}' is not a signature`,
        "write the name and the names of the parameters: 'gelu(x)'",
      )
    const [, name = '', list = ''] = found
    const names = list
      .split(',')
      .map((s) => s.trim())
      .filter((s) => s !== '')
    if (names.length !== types.length)
      fail('bad-argument', `${name} names ${names.length} parameters and gives ${types.length} types`)
    if (new Set(names).size !== names.length) fail('duplicate-name', `${name} has two parameters of one name`)
    this.name = checkName(name, 'a function')
    this.names = names.map((n) => checkName(n, 'a parameter'))
    // a wrong type is found here, and not where a kernel first calls it
    for (const [i, n] of names.entries()) typeFrom(types[i], n)
  }

  call(session: Session, args: readonly unknown[]): Handle | undefined {
    const params = this.params(session)
    if (args.length !== params.length)
      fail('no-overload', `${this.name} takes ${params.length} arguments, and was given ${args.length}`)
    const func = this.build(session)
    const { scope } = session
    const given = params.map((p, i) => {
      const what = `argument '${p.name}' of ${this.name}`
      return isPointer(p.type) ? pointee(args[i], p.type, what) : lift(args[i], p.type, session, what)
    })
    const at = session.at()
    const result = func.result === null ? null : scope.result(func.result)
    scope.emit({ kind: 'call', at, func: func.name, args: given, result })
    return result === null ? undefined : makeValue(valueState(result, scope, at, `the value of ${this.name}`))
  }

  /** The types of a kernel are its own: it names its structs. */
  private params(session: Session): readonly FuncParam[] {
    let found = this.paramsOf.get(session)
    if (!found)
      this.paramsOf.set(session, (found = this.names.map((name, i) => ({ name, type: typeFrom(this.types[i], name) }))))
    return found
  }

  /** Once for each kernel that calls it. */
  private build(session: Session): Func {
    const known = session.functions.get(this)
    if (known) return known
    const path = [...session.building, { key: this, name: this.name }]
    if (session.building.some((b) => b.key === this)) {
      fail('recursion', `${path.map((b) => b.name).join(' calls ')}: WGSL has no recursion`, 'write a loop')
    }
    session.building.push({ key: this, name: this.name })
    const scope = new Scope(session, `function '${this.name}'`, true)
    const { stmts } = session.within(scope, () => scope.block(() => this.run(session, scope)))
    session.building.pop()
    const func: Func = {
      name: uniqueName(session, this.name),
      params: this.params(session),
      result: resultOf(scope, this.name),
      body: stmts,
    }
    session.functions.set(this, func)
    return func
  }

  private run(session: Session, scope: Scope): void {
    const handles = this.params(session).map((p): Handle => {
      const label = `parameter '${p.name}'`
      if (isPointer(p.type))
        return makeRef(rootPlace({ kind: 'pointer', name: p.name }, p.type.of), {
          session,
          scope,
          access: p.type.access,
          label,
          eager: false,
        })
      return makeValue(
        exprState(
          Object.freeze({ kind: 'argument', type: p.type, name: p.name }),
          { session, scope, home: scope.current },
          session.at(),
          label,
        ),
      )
    })
    const k = makeBuilder({ session, invocations: null, variant: '' })
    const value = (this.body as (...args: unknown[]) => unknown)(...handles, k)
    if (value === undefined) return
    if (!isHandle(value) && typeof value !== 'number' && typeof value !== 'boolean')
      fail('bad-argument', `the body of ${this.name} gives ${describe(value)}`, 'it gives an expression, or nothing')
    const known = scope.returned.find((t) => t !== null)
    const node = isHandle(value)
      ? read(value, session)
      : lift(value, known ?? 'bool', session, `the value of ${this.name}`)
    scope.returned.push(node.type)
    scope.emit({ kind: 'return', at: session.at(), value: node })
  }
}

const isPointer = (type: Type): type is PtrType => typeof type === 'object' && type.kind === 'ptr'

function pointee(arg: unknown, type: PtrType, what: string): ReturnType<typeof placeOf> {
  const place = placeOf(arg, what)
  return sameType(place.type, type.of)
    ? place
    : fail('type-mismatch', `${what} must refer to ${spell(type.of)}, and refers to ${spell(place.type)}`)
}

function resultOf(scope: Scope, name: string): Type | null {
  const [first = null, ...rest] = scope.returned
  for (const other of rest) {
    const same = first === null || other === null ? first === other : sameType(first, other)
    if (!same)
      fail(
        'type-mismatch',
        `${name} returns ${first === null ? 'nothing' : spell(first)} in one place and ${other === null ? 'nothing' : spell(other)} in another`,
      )
  }
  return first
}

function uniqueName(session: Session, name: string): string {
  const taken = new Set([...session.functions.values()].map((f) => f.name))
  let unique = name
  for (let i = 1; taken.has(unique); i++) unique = `${name}_${i}`
  return unique
}
