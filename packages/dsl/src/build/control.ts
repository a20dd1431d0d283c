import type { Block, If, Expr as Node, Stmt } from '../ir'
import { isConstructible, spell } from '../types'
import type { Body, Methods } from './body'
import { fail, type Scope, type Session } from './context'
import { exprState, Handle, isHandle, NOBODY, STATE, valueState } from './handle'
import { constant, describe, lift } from './lift'
import { checkName } from './names'
import { rootPlace } from './place'
import { read } from './read'
import { makeRef, makeValue, step } from './ref'

/** The statements with blocks, and jumps. */

type Closure = () => unknown

const test = (session: Session, x: unknown, what: string): Node => {
  if (isHandle(x) && x.type === 'bool') return read(x, session)
  if (isHandle(x) && /^vec\d<bool>$/.test(x.type))
    return fail('type-mismatch', `${what} is ${x.type}`, 'reduce it: fn.all(x) or fn.any(x)')
  return fail(
    'type-mismatch',
    `${what} must be bool, and is ${describe(x)}`,
    isHandle(x)
      ? 'compare it: x.ne(0)'
      : typeof x === 'boolean'
        ? '=== compares JavaScript objects: use a.eq(b). What is known when the kernel is built needs a JavaScript if, or bool(true)'
        : undefined,
  )
}

const body = (f: unknown, what: string): Closure =>
  typeof f === 'function'
    ? (f as Closure)
    : fail('bad-argument', `${what} is ${describe(f)}`, 'the body of a block is a function: () => { … }')

/** `if` with its second branch at once, or with a chain of `.elseIf` and `.else`. */
function ifStmt({ session }: Body, condition: unknown, then: unknown, otherwise?: unknown): unknown {
  const { scope } = session
  const node = test(session, condition, 'the condition of k.if')
  const at = session.at()
  const branch = scope.block(body(then, 'the first branch of k.if')).stmts
  const alternative = otherwise === undefined ? [] : scope.block(body(otherwise, 'the second branch of k.if')).stmts
  const stmt: If = { kind: 'if', at, test: node, then: branch, else: alternative }
  scope.emit(stmt)
  return otherwise === undefined ? elseChain(session, scope, (other) => ({ ...stmt, else: other })) : undefined
}

/**
 * `.elseIf(test, body)` and `.else(body)` of the `if` that was just emitted. What the test read was emitted after
 * the `if`, so it is moved into the branch where it belongs.
 */
function elseChain(session: Session, scope: Scope, rebuild: (alternative: Block) => If): Record<string, unknown> {
  const { current } = scope
  const index = current.stmts.length - 1
  let attached = false
  const attach = (fill: () => void): void => {
    if (attached)
      fail('misplaced-statement', 'an if has two branches for when its test fails', 'chain tests with .elseIf(…)')
    attached = true
    const between = current.stmts.splice(index + 1)
    if (scope.current !== current || between.some((s) => s.kind !== 'load')) {
      fail(
        'misplaced-statement',
        'an else does not follow its if',
        'chain it: k.if(…, …).else(…), with nothing in between',
      )
    }
    const { stmts } = scope.block(() => {
      scope.current.stmts.push(...between)
      fill()
    })
    current.stmts[index] = Object.freeze(rebuild(stmts))
  }
  return {
    else: (f: unknown) => attach(() => void body(f, 'the branch of .else')()),
    elseIf: (condition: unknown, then: unknown) => {
      let inner: If | undefined
      let before: readonly Stmt[] = []
      attach(() => {
        const node = test(
          session,
          typeof condition === 'function' ? (condition as Closure)() : condition,
          'the condition of .elseIf',
        )
        inner = {
          kind: 'if',
          at: session.at(),
          test: node,
          then: scope.block(body(then, 'the branch of .elseIf')).stmts,
          else: [],
        }
        before = [...scope.current.stmts]
        scope.emit(inner)
      })
      const nested = inner as If | undefined
      return elseChain(session, scope, (alternative) =>
        rebuild([...before, Object.freeze({ ...(nested as If), else: alternative })]),
      )
    },
  }
}

function switchStmt(session: Session, selector: unknown, build: unknown): void {
  const { scope } = session
  if (!isHandle(selector) || (selector.type !== 'i32' && selector.type !== 'u32'))
    fail('bad-switch', `the selector of k.switch is ${describe(selector)}`, 'selectors are i32 or u32')
  const type = selector.type
  const node = read(selector, session)
  const at = session.at()
  const cases: { selectors: number[]; body: Block }[] = []
  let otherwise: Block | null = null
  const seen = new Set<number>()
  const add = (values: unknown, f: unknown): void => {
    const selectors = [values].flat().map((v) => {
      const c = constant(type, v).lanes[0] as number
      if (seen.has(c)) fail('bad-switch', `case ${c} stands twice in k.switch`)
      seen.add(c)
      return c
    })
    if (selectors.length === 0) fail('bad-switch', 'a case of k.switch has no selectors')
    cases.push({ selectors, body: scope.block(body(f, 'the body of a case'), 'switch').stmts })
  }
  const otherwiseOnce = (f: unknown): void => {
    if (otherwise) fail('bad-switch', 'k.switch has two defaults')
    otherwise = scope.block(body(f, 'the body of the default'), 'switch').stmts
  }
  ;(body(build, 'the cases of k.switch') as (s: unknown) => unknown)({ case: add, default: otherwiseOnce })
  scope.emit({ kind: 'switch', at, selector: node, cases, default: otherwise ?? [] })
}

function forStmt(
  { session }: Body,
  name: string,
  init: unknown,
  condition: unknown,
  update: unknown,
  f: unknown,
): void {
  checkName(name, 'a loop variable')
  const { scope } = session
  if (!isHandle(init))
    fail(
      'untyped-number',
      `the first value of '${name}' is ${describe(init)}, which has no type`,
      'write u32(0) or i32(0)',
    )
  const variable = {
    id: session.id(),
    name,
    space: 'function' as const,
    type: init[STATE].type,
    init: read(init, session),
  }
  scope.emit({ kind: 'var', at: session.at(), variable })
  const ref = makeRef(rootPlace({ kind: 'variable', id: variable.id }, variable.type), {
    session,
    scope,
    access: 'read_write',
    label: `'${name}'`,
    eager: false,
  })
  const call = (g: unknown, what: string) => () => (body(g, what) as (i: Handle) => unknown)(ref)
  loop(session, call(condition, 'the condition of k.for'), call(f, 'the body of k.for'), () => {
    const next = call(update, 'the update of k.for')()
    if (isHandle(next)) (ref as unknown as { set(v: unknown): void }).set(next)
  })
}

/** A test that is true whatever happens: there is none. */
const always = (test: Node | null): boolean => test?.kind === 'const' && test.lanes[0] === 1

/** `continuing` may give a bool: leave the loop when it is true. */
function loop(session: Session, condition: Closure | null, f: Closure, continuing: Closure | null): void {
  const { scope } = session
  const at = session.at()
  const header = scope.block(
    () => (condition === null ? null : test(session, condition(), 'the condition of the loop')),
    'loop',
  )
  const inside = scope.block(f, 'loop')
  const end = scope.block(() => {
    const value = continuing?.()
    return isHandle(value) && value.type === 'bool' ? read(value, session) : null
  }, 'continuing')
  scope.emit({
    kind: 'loop',
    at,
    header: header.stmts,
    test: always(header.value) ? null : header.value,
    body: inside.stmts,
    continuing: end.stmts,
    breakIf: end.value,
  })
}

/** `range(name, [start,] end[, step], body[, options])`. */
function range(session: Session, name: string, rest: readonly unknown[]): void {
  checkName(name, 'the index of a range')
  const where = rest.findIndex((x) => typeof x === 'function')
  const f = rest[where]
  if (where < 1 || where > 3)
    fail(
      'bad-argument',
      `k.range('${name}', …) is given ${where < 0 ? 'no body' : `${where} bounds`}`,
      "k.range('i', end, (i) => …), k.range('i', start, end, (i) => …) or k.range('i', start, end, step, (i) => …)",
    )
  const bounds = rest.slice(0, where)
  const [start, end, stride] = where === 1 ? [0, bounds[0], 1] : [bounds[0], bounds[1], bounds[2] ?? 1]
  const typed = [start, end, stride].find(isHandle)
  const type = typed?.type ?? ([start, end, stride].some((x) => typeof x === 'number' && x < 0) ? 'i32' : 'u32')
  if (type !== 'u32' && type !== 'i32')
    fail('type-mismatch', `the bounds of k.range('${name}', …) are ${type}`, 'bounds are u32 or i32')
  if (stride === 0) fail('endless-loop', `k.range('${name}', …) has step 0`)
  const { scope } = session
  const nodes = [start, end, stride].map((x) => lift(x, type, session, `a bound of k.range('${name}', …)`))
  const at = session.at()
  const index = scope.result(type)
  const options = (rest[where + 1] ?? {}) as { readonly unroll?: boolean }
  const { stmts } = scope.block(
    () => (f as (i: Handle) => unknown)(new Handle(valueState(index, scope, at, `'${name}'`))),
    'loop',
  )
  const [a, b, c] = nodes as [Node, Node, Node]
  scope.emit({
    kind: 'range',
    at,
    name,
    index,
    start: a,
    end: b,
    step: c,
    body: stmts,
    unroll: options.unroll === true,
  })
}

/** The current scope, where a jump may stand. */
function inside({ scope }: Session, what: 'break' | 'continue', ...kinds: readonly string[]): Scope {
  const around = scope.enclosing.at(-1)
  const found = what === 'continue' ? scope.enclosing.filter((e) => e !== 'switch').at(-1) : around
  if (found === undefined || !kinds.includes(found)) {
    const continuing = around === 'continuing'
    fail(
      'misplaced-statement',
      `k.${what}() stands ${continuing ? 'in the continuing block of a loop' : 'outside a loop'}`,
      continuing ? 'to leave the loop, return a condition from the continuing function' : undefined,
    )
  }
  return scope
}

function returnStmt({ session }: Body, value?: unknown): void {
  const { scope } = session
  if (scope.enclosing.includes('continuing'))
    fail('misplaced-statement', 'k.return() stands in the continuing block of a loop')
  if (value !== undefined && !scope.isFunction)
    fail('misplaced-statement', 'a kernel returns no value', 'write to an output')
  const known = scope.returned.find((t) => t !== null) ?? 'bool'
  const node =
    value === undefined
      ? null
      : isHandle(value)
        ? read(value, session)
        : lift(value, known, session, 'the value of k.return')
  scope.returned.push(node?.type ?? null)
  scope.emit({ kind: 'return', at: session.at(), value: node })
}

/** The lazy select: what `value` reads is read only where the test holds. */
function when({ session }: Body, condition: unknown, value: unknown, otherwise: unknown): Handle {
  const { scope } = session
  const node = test(session, condition, 'the condition of k.when')
  const at = session.at()
  const id = session.id()
  const lazy = body(value, 'the value of k.when')
  const inner = scope.block(() => {
    const v = lazy()
    return isHandle(v)
      ? read(v, session)
      : fail(
          'untyped-number',
          `the value of k.when is ${describe(v)}, which has no type`,
          'write f32(0), or use fn.select',
        )
  })
  const { type } = inner.value
  if (!isConstructible(type)) fail('bad-type', `k.when cannot give a value of type ${spell(type)}`)
  const place = rootPlace({ kind: 'variable', id }, type)
  const other =
    typeof otherwise === 'function'
      ? scope.block(() => lift((otherwise as Closure)(), type, session, 'the other value of k.when'))
      : null
  const first = other ? null : lift(otherwise, type, session, 'the other value of k.when')
  scope.emit({ kind: 'var', at, variable: { id, name: 'value', space: 'function', type, init: first } })
  const store = (v: Node): Stmt => Object.freeze({ kind: 'store', at, place, value: v })
  scope.emit({
    kind: 'if',
    at,
    test: node,
    then: [...inner.stmts, store(inner.value)],
    else: other ? [...other.stmts, store(other.value)] : [],
  })
  const result = scope.result(type)
  scope.emit({ kind: 'load', at, place, result })
  return makeValue(valueState(result, scope, at, 'the value of k.when'))
}

/** `array.at(index).set(value)` where index is in range; nothing elsewhere. */
function guardedStore({ session }: Body, array: unknown, index: unknown, value: unknown): void {
  if (!isHandle(array) || !('length' in array))
    fail('bad-argument', `k.guardedStore is given ${describe(array)}`, 'it needs an array')
  const { scope } = session
  const at = session.at()
  const i = lift(index, isHandle(index) ? (index.type as 'u32') : 'u32', session, 'the index of k.guardedStore')
  const n = read((array as unknown as { length: Handle }).length, session)
  const compared: Node = i.type === 'i32' ? Object.freeze({ kind: 'convert', at, type: 'u32', arg: i }) : i
  const inRange: Node = Object.freeze({ kind: 'op', at, type: 'bool', op: 'lt', args: [compared, n] })
  const element = new Handle(exprState(i, NOBODY, at))
  const { stmts } = scope.block(() => {
    ;(step(array, element) as unknown as { set(v: unknown): void }).set(value)
  })
  scope.emit({ kind: 'if', at, test: inRange, then: stmts, else: [] })
}

export const CALL: unique symbol = Symbol('call')

function callFunction(session: Session, f: unknown, args: readonly unknown[]): unknown {
  if (typeof f === 'function' && CALL in f)
    return (f as unknown as { [CALL](s: Session, a: readonly unknown[]): unknown })[CALL](session, args)
  return fail('bad-argument', `k.call is given ${describe(f)}`, "it needs a function made by func('name(a)', […], …)")
}

export const control: Methods = {
  if: ifStmt,
  switch: ({ session }, selector: unknown, cases: unknown) => switchStmt(session, selector, cases),
  range: ({ session }, name: string, ...rest: unknown[]) => range(session, name, rest),
  for: forStmt,
  while: ({ session }, condition: unknown, f: unknown) =>
    loop(session, body(condition, 'the condition of k.while'), body(f, 'the body of k.while'), null),
  loop: ({ session }, f: unknown, continuing?: unknown) =>
    loop(
      session,
      null,
      body(f, 'the body of k.loop'),
      continuing === undefined ? null : body(continuing, 'the continuing block of k.loop'),
    ),
  break: ({ session }) => inside(session, 'break', 'loop', 'switch').emit({ kind: 'break', at: session.at() }),
  continue: ({ session }) => inside(session, 'continue', 'loop').emit({ kind: 'continue', at: session.at() }),
  return: returnStmt,
  when,
  guardedStore,
  call: ({ session }, f: unknown, ...args: unknown[]) => callFunction(session, f, args),
}
