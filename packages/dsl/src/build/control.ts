import { checkKeys } from '../diagnostics'
import type { Block, Expr, Stmt } from '../ir'
import { spell, type Type } from '../types'
import { apply } from './apply'
import type { RangeOptions } from './builder-types'
import { construct } from './construct'
import { fail } from './fail'
import { expected, type Handle, isHandle, read, STATE } from './handle'
import { checkName, constant, lift, liftIndex, typed } from './lift'
import { ArrayHandle, lengthOf, set, step, value } from './place'
import type { BlockKind, Methods, Session } from './session'
import { declareVar } from './variables'

/** The statements with blocks, and jumps. */

type Closure = (...args: readonly unknown[]) => unknown

const closure = (f: unknown, what: string): Closure =>
  typeof f === 'function' ? (f as Closure) : expected('bad-argument', what, 'a function () => { … }', f)

const block = (session: Session, f: unknown, what: string, kind: BlockKind = null, stmts: Stmt[] = []): Stmt[] =>
  session.inside(closure(f, what), kind, stmts).stmts

function test(session: Session, x: unknown, what: string): Expr {
  if (isHandle(x) && x.type === 'bool') return read(x, session)
  return expected(
    'type-mismatch',
    what,
    'bool',
    x,
    isHandle(x)
      ? x.type.includes('bool')
        ? 'reduce it: fn.all(x) or fn.any(x)'
        : 'compare it: x.ne(0)'
      : typeof x === 'boolean'
        ? '=== and ! are of JavaScript: use a.eq(b), a.not(). What is known when the kernel is built needs a JavaScript if, or bool(true)'
        : undefined,
  )
}

/** An `if` whose second branch is filled later, through the list that is given back. */
function ifStmt(session: Session, condition: unknown, then: unknown, of: string): Stmt[] {
  const node = test(session, condition, `the condition of ${of}`)
  const at = session.at()
  const branch = block(session, then, `the first branch of ${of}`)
  const otherwise: Stmt[] = []
  session.emit({ kind: 'if', at, test: node, then: branch, else: otherwise })
  return otherwise
}

/**
 * `.elseIf(test, body)` and `.else(body)` of the `if` that was just emitted. What the test read was emitted after
 * the `if`, so it is moved into the branch where it belongs.
 */
function elseChain(session: Session, otherwise: Stmt[]): Record<string, Closure> {
  const { current } = session
  const end = current.stmts.length
  let attached = false
  const attach = (fill: Closure, what: string): void => {
    if (attached)
      fail('misplaced-statement', 'an if has two branches for when its test fails', 'chain tests with .elseIf(…)')
    attached = true
    const between = current.stmts.splice(end)
    if (session.current !== current || between.some((s) => s.kind !== 'load'))
      fail(
        'misplaced-statement',
        'an else does not follow its if',
        'chain it: k.if(…, …).else(…), with nothing in between',
      )
    otherwise.push(...between)
    block(session, fill, what, null, otherwise)
  }
  return {
    else: (f) => attach(f as Closure, 'the branch of .else'),
    elseIf: (condition, then) => {
      let inner: Stmt[] = []
      attach(() => {
        inner = ifStmt(session, typeof condition === 'function' ? condition() : condition, then, '.elseIf')
      }, '')
      return elseChain(session, inner)
    },
  }
}

function switchStmt(session: Session, selector: unknown, build: unknown): void {
  if (!isHandle(selector) || (selector.type !== 'i32' && selector.type !== 'u32'))
    expected('bad-switch', 'the selector of k.switch', 'i32 or u32', selector)
  const { type } = selector
  const node = read(selector, session)
  const at = session.at()
  const cases: { selectors: number[]; body: Block }[] = []
  let otherwise: Block | null = null
  const seen = new Set<number>()
  closure(
    build,
    'the cases of k.switch',
  )({
    case: (values: unknown, f: unknown) => {
      const selectors = [values].flat().map((v) => {
        const [c = 0] = constant(type, v).lanes
        if (seen.has(c)) fail('bad-switch', `case ${c} stands twice in k.switch`)
        seen.add(c)
        return c
      })
      if (selectors.length === 0) fail('bad-switch', 'a case of k.switch has no selectors')
      cases.push({ selectors, body: block(session, f, 'the body of a case', 'switch') })
    },
    default: (f: unknown) => {
      if (otherwise) fail('bad-switch', 'k.switch has two defaults')
      otherwise = block(session, f, 'the body of the default', 'switch')
    },
  })
  session.emit({ kind: 'switch', at, selector: node, cases, default: otherwise ?? [] })
}

/** `continuing` may give a bool: leave the loop when it is true. */
function loop(session: Session, condition: Closure | null, f: Closure, continuing: Closure | null): void {
  const at = session.at()
  const header = session.inside(() => condition && test(session, condition(), 'the condition of the loop'), 'loop')
  const body = session.inside(f, 'loop').stmts
  const end = session.inside(() => {
    const x = continuing?.()
    return isHandle(x) && x.type === 'bool' ? read(x, session) : null
  }, 'continuing')
  // a test that is true whatever happens is none
  const always = header.value?.kind === 'const' && header.value.lanes[0] === 1
  session.emit({
    kind: 'loop',
    at,
    header: header.stmts,
    test: always ? null : header.value,
    body,
    continuing: end.stmts,
    breakIf: end.value,
  })
}

function forStmt(session: Session, name: string, init: unknown, condition: unknown, update: unknown, f: unknown): void {
  const first = typed(init, session, `the first value of '${checkName(name, 'a loop variable')}'`)
  const ref = declareVar(session, 'function', name, first.type, first)
  const call = (g: unknown, what: string) => () => closure(g, `the ${what} of k.for`)(ref)
  loop(session, call(condition, 'condition'), call(f, 'body'), () => {
    const next = call(update, 'update')()
    if (isHandle(next)) set(ref, next)
  })
}

/** `range(name, [start,] end[, step], body[, options])`. */
function range(session: Session, name: string, ...rest: unknown[]): void {
  const what = `k.range('${checkName(name, 'the index of a range')}', …)`
  const count = rest.findIndex((x) => typeof x === 'function')
  if (count < 1 || count > 3)
    fail(
      'bad-argument',
      `${what} is given ${count < 0 ? 'no body' : `${count} bounds`}`,
      "k.range('i', end, (i) => …), start before end, step behind",
    )
  const bounds = count === 1 ? [0, rest[0], 1] : [rest[0], rest[1], count === 3 ? rest[2] : 1]
  const type =
    bounds.find(isHandle)?.[STATE].type ?? (bounds.some((x) => typeof x === 'number' && x < 0) ? 'i32' : 'u32')
  if (type !== 'u32' && type !== 'i32')
    fail('type-mismatch', `the bounds of ${what} are ${spell(type)}`, 'bounds are u32 or i32')
  if (bounds[2] === 0) fail('endless-loop', `${what} has step 0`, 'leave the step out for 1')
  const [start, end, stride] = bounds.map((x) => lift(x, type, session, `a bound of ${what}`)) as [Expr, Expr, Expr]
  const at = session.at()
  const index = session.result(type)
  const body = (): unknown => (rest[count] as Closure)(value(index, session.current, `'${name}'`))
  const { stmts } = session.inside(body, 'loop')
  const options = (rest[count + 1] ?? {}) as RangeOptions
  checkKeys(what, options, ['unroll'])
  const { unroll = false } = options
  if (typeof unroll !== 'boolean' && !(Number.isInteger(unroll) && unroll > 0))
    expected('bad-argument', `the option unroll of ${what}`, 'true, or a number of rounds', unroll)
  session.emit({ kind: 'range', at, name, index, start, end, step: stride, body: stmts, unroll })
}

const inContinuing = (kind: string): never =>
  fail(
    'misplaced-statement',
    `k.${kind}() stands in the continuing block of a loop`,
    'to leave the loop, return a condition from the continuing function',
  )

function jump(session: Session, kind: 'break' | 'continue'): void {
  const around =
    kind === 'break' ? session.enclosing('loop', 'continuing', 'switch') : session.enclosing('loop', 'continuing')
  if (around === null) fail('misplaced-statement', `k.${kind}() stands outside a loop`, 'k.return() leaves the kernel')
  if (around === 'continuing') inContinuing(kind)
  session.emit({ kind, at: session.at() })
}

/** Returns from the kernel, or a value from a function: all its returns have one type. */
export function returnStmt(session: Session, x?: unknown, what = 'the value of k.return'): void {
  const { scope } = session
  if (session.enclosing('continuing')) inContinuing('return')
  if (x !== undefined && !scope.isFunction)
    fail('misplaced-statement', 'a kernel returns no value', 'write to an output')
  const node = x === undefined ? null : isHandle(x) ? read(x, session) : lift(x, scope.result ?? 'bool', session, what)
  const says = (type: Type | null): string => (type ? spell(type) : 'nothing')
  const type = node?.type ?? null
  if (scope.result !== undefined && says(type) !== says(scope.result))
    fail('type-mismatch', `${scope.owner} returns ${says(scope.result)} in one place and ${says(type)} in another`)
  scope.result = type
  session.emit({ kind: 'return', at: session.at(), value: node })
}

/** The lazy select: what `x` reads is read only where the test holds. */
function when(session: Session, condition: unknown, x: unknown, otherwise: unknown): Handle {
  const node = test(session, condition, 'the condition of k.when')
  const at = session.at()
  const lazy = closure(x, 'the value of k.when')
  const first = session.inside(() => typed(lazy(), session, 'the value of k.when'))
  const { type } = first.value
  const lifted = (y: unknown): Expr => lift(y, type, session, 'the other value of k.when')
  const other = typeof otherwise === 'function' ? session.inside(() => lifted(otherwise())) : null
  const variable = declareVar(session, 'function', 'value', type, other ? null : lifted(otherwise))
  const { place } = variable[STATE]
  const store = (v: Expr): Stmt =>
    Object.freeze({ kind: 'store', at, place: place as NonNullable<typeof place>, value: v })
  first.stmts.push(store(first.value))
  if (other) other.stmts.push(store(other.value))
  session.emit({ kind: 'if', at, test: node, then: first.stmts, else: other?.stmts ?? [] })
  return value(read(variable, session), session.current, 'the value of k.when')
}

/** `array.at(index).set(value)` where the index is in range; nothing elsewhere. */
function guardedStore(session: Session, array: unknown, index: unknown, x: unknown): void {
  const what = 'the array of k.guardedStore'
  if (!(array instanceof ArrayHandle)) expected('bad-argument', what, 'an array', array)
  const i = value(liftIndex(index, null, session, what), session.current, 'the index of k.guardedStore')
  ifStmt(session, apply('lt', [construct('u32', [i]), lengthOf(array)]), () => set(step(array, i), x), 'k.guardedStore')
}

export const CALL: unique symbol = Symbol('call')

export const control: Methods = {
  if: (session, condition: unknown, then: unknown, otherwise?: unknown) => {
    const stmts = ifStmt(session, condition, then, 'k.if')
    if (otherwise === undefined) return elseChain(session, stmts)
    block(session, otherwise, 'the second branch of k.if', null, stmts)
  },
  switch: switchStmt,
  range,
  for: forStmt,
  while: (session, condition: unknown, f: unknown) =>
    loop(session, closure(condition, 'the condition of k.while'), closure(f, 'the body of k.while'), null),
  loop: (session, f: unknown, continuing?: unknown) =>
    loop(
      session,
      null,
      closure(f, 'the body of k.loop'),
      continuing === undefined ? null : closure(continuing, 'the continuing block of k.loop'),
    ),
  break: (session) => jump(session, 'break'),
  continue: (session) => jump(session, 'continue'),
  return: (session, x?: unknown) => returnStmt(session, x),
  when,
  guardedStore,
  call: (session, f: unknown, ...args: unknown[]) =>
    typeof f === 'function' && CALL in f
      ? (f[CALL] as Closure)(session, args)
      : expected('bad-argument', 'the callee of k.call', "a function made by func('name(a)', […], …)", f),
}
