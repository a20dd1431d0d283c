import type { Func, FuncParam, Expr as Node, Place } from '../ir'
import { isKind, type PtrType, sameType, spell, type ValueName } from '../types'
import { makeBuilder } from './builder'
import type { Builder } from './builder-types'
import { CALL, returnStmt } from './control'
import type { PtrDecl } from './declarations'
import { placeOf } from './effects'
import { fail } from './fail'
import { checkCount, counted, expected, type Handle, homeOf, isHandle, isPlain } from './handle'
import { checkName, lift } from './lift'
import { reference, rootPlace, value } from './place'
import { typeFrom } from './schema'
import { NOWHERE, Scope, type Session } from './session'
import type { Ref, ShapeOf, Value } from './shapes'
import type { Arg, Expr } from './types'

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
    const home = homeOf(args)
    if (home !== NOWHERE) return f.call(home.session, args)
    return fail(
      'bad-argument',
      `${f.name} is called without an expression of a kernel among its arguments`,
      `say which kernel calls it: k.call(${f.name}, …)`,
    )
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
    const [, name = '', list = ''] =
      SIGNATURE.exec(String(signature)) ??
      fail(
        'bad-name',
        `'${String(signature)}' is not a signature`,
        "write the name and the names of the parameters: 'gelu(x)'",
      )
    const names = list
      .split(',')
      .map((n) => n.trim())
      .filter((n) => n !== '')
    if (names.length !== types.length)
      fail(
        'bad-argument',
        `${name} names ${counted(names.length, 'parameter')} and gives ${counted(types.length, 'type')}`,
      )
    if (new Set(names).size !== names.length) fail('duplicate-name', `${name} has two parameters of one name`)
    this.name = checkName(name, 'a function')
    this.names = names.map((n) => checkName(n, 'a parameter'))
    this.paramTypes() // a wrong type is found here, and not where a kernel first calls it
  }

  call(session: Session, args: readonly unknown[]): Handle | undefined {
    const params = this.params(session)
    checkCount(this.name, params.length, args)
    const func = this.build(session)
    const given = params.map(({ name, type }, i): Node | Place => {
      const what = `argument '${name}' of ${this.name}`
      return isKind(type, 'ptr') ? pointee(args[i], type, what) : lift(args[i], type, session, what)
    })
    const at = session.at()
    const result = func.result && session.result(func.result)
    session.emit({ kind: 'call', at, func: func.name, args: given, result })
    return result ? value(result, session.current, `the value of ${this.name}`) : undefined
  }

  private paramTypes(): readonly FuncParam[] {
    return this.names.map((name, i) => ({ name, type: typeFrom(this.types[i], name) }))
  }

  /** The types of a kernel are its own: it names its structs. */
  private params(session: Session): readonly FuncParam[] {
    let found = this.paramsOf.get(session)
    if (!found) this.paramsOf.set(session, (found = this.paramTypes()))
    return found
  }

  /** Once for each kernel that calls it. */
  private build(session: Session): Func {
    const { functions, building } = session
    const known = functions.get(this)
    if (known) return known
    const path = [...building, this]
    if (building.includes(this))
      fail('recursion', `${path.map((f) => f.name).join(' calls ')}: WGSL has no recursion`, 'write a loop')
    building.push(this)
    const scope = new Scope(`function '${this.name}'`, true)
    const { stmts } = session.inside(() => this.run(session), null, [], scope)
    building.pop()
    const taken = [...functions.values()].map((f) => f.name)
    let { name } = this
    for (let i = 1; taken.includes(name); i++) name = `${this.name}_${i}`
    const func: Func = { name, params: this.params(session), result: scope.result ?? null, body: stmts }
    functions.set(this, func)
    return func
  }

  private run(session: Session): void {
    const { current } = session
    const handles = this.params(session).map(({ name, type }): Handle => {
      const label = `parameter '${name}'`
      return isKind(type, 'ptr')
        ? reference(rootPlace({ kind: 'pointer', name }, type.of), current, type.access, label)
        : value({ kind: 'argument', type, name }, current, label)
    })
    const x = (this.body as (...args: unknown[]) => unknown)(...handles, makeBuilder(session))
    if (x === undefined) return
    const what = `the value of ${this.name}`
    if (!isHandle(x) && !isPlain(x)) expected('bad-argument', what, 'an expression, or nothing', x)
    returnStmt(session, x, what)
  }
}

function pointee(arg: unknown, { of }: PtrType, what: string): Place {
  const place = placeOf(arg, what)
  if (sameType(place.type, of)) return place
  return fail('type-mismatch', `${what} must refer to ${spell(of)}, and refers to ${spell(place.type)}`)
}
