import { PURE, type PureName } from '../../ops'
import { isValueName } from '../../types'
import { bitcast } from '../apply'
import { construct } from '../construct'
import { fail } from '../fail'
import { describe, type Handle, isHandle } from '../handle'
import { builtinFunctions } from '../methods'
import { step, swizzle } from '../place'
import { type Lexeme, lex } from './lexer'
import { binary, plain, unary, type Value } from './values'

/** A parsed expression: builds its value, here and now, from what fills the holes. */
export type Build = (holes: readonly unknown[]) => Value

/** Operators by how tightly they bind, the loosest first; one line holds those of one level. */
const LEVELS = ['&& || & | ^', '< <= > >= == !=', '<< >>', '+ -', '* / %'].map((level) => level.split(' '))
/** These take no other operator as an operand. */
const STRICT = ['<<', '>>', '&', '|', '^']

/** An operator of the op table: which others it groups with, without parentheses. */
interface Operator {
  readonly op: PureName
  readonly level: number
  /** It groups from the left with those of the same chain: `a - b + c`, `a && b && c`. */
  readonly chain: number | string | null
  readonly strict: boolean
}

const PREFIX = new Map<string, PureName>()
const INFIX = new Map<string, Operator>()
for (const [name, { form, wgsl }] of Object.entries(PURE)) {
  const op = name as PureName
  if (form === 'prefix') PREFIX.set(wgsl, op)
  // the first of a symbol: `&` is bitAnd, and `apply` knows what it is on bools
  if (form !== 'infix' || INFIX.has(wgsl)) continue
  const level = LEVELS.findIndex((symbols) => symbols.includes(wgsl))
  INFIX.set(wgsl, { op, level, chain: level > 2 ? level : level === 0 ? wgsl : null, strict: STRICT.includes(wgsl) })
}

/** Whether WGSL's grammar lets an operator have `inner`, without parentheses, as an operand. */
const groups = (outer: Operator, inner: Operator | undefined): boolean =>
  inner === undefined || (!outer.strict && inner.level > outer.level)

/** An operand, with the operator that it is made by unless that is in parentheses. */
interface Operand {
  readonly build: Build
  readonly at: Lexeme
  readonly operator?: Operator
}

/** The lexemes of a template, and how far they are read. */
class Reader {
  private i = 0
  private readonly lexemes: readonly Lexeme[]

  constructor(private readonly parts: readonly string[]) {
    this.lexemes = lex(parts)
    const odd = this.lexemes.find((lexeme) => lexeme.kind === 'unknown')
    if (odd) this.fault(`'${odd.text}' has no meaning in an expression`, odd)
  }

  get next(): Lexeme {
    return this.lexemes[this.i] as Lexeme
  }

  take(): Lexeme {
    return this.lexemes[this.i++] as Lexeme
  }

  /** Goes over the next lexeme if it is this symbol. */
  skip(symbol: string): boolean {
    const found = this.next.kind === 'symbol' && this.next.text === symbol
    if (found) this.i++
    return found
  }

  expect(symbol: string): void {
    if (!this.skip(symbol)) this.fault(`'${symbol}' is expected here`)
  }

  name(what: string): string {
    return this.next.kind === 'name' ? this.take().text : this.fault(`${what} is expected here`)
  }

  /** Shows the text of the template with a caret under the place. */
  fault(message: string, at = this.next): never {
    const shown = this.parts.map((part) => part.replace(/\s/g, ' '))
    const before = shown
      .slice(0, at.part)
      .map((part) => `${part}\${…}`)
      .join('')
    return fail('bad-template', `${message}\n    ${shown.join('${…}')}\n    ${' '.repeat(before.length + at.offset)}^`)
  }
}

/** Operands and the operators between them that bind at least as tightly as `level`. */
function expression(r: Reader, level: number): Operand {
  let a: Operand = prefixed(r)
  for (;;) {
    const at = r.next
    const operator = at.kind === 'symbol' ? INFIX.get(at.text) : undefined
    if (!operator || operator.level < level) return a
    const chained = operator.chain !== null && a.operator?.chain === operator.chain
    if (!chained && !groups(operator, a.operator)) parenthesize(r, at)
    r.take()
    const b = expression(r, operator.level + 1)
    if (!groups(operator, b.operator)) parenthesize(r, b.at)
    const [x, y] = [a.build, b.build]
    const fault = (message: string): never => r.fault(message, at)
    a = { operator, at, build: (holes) => binary(at.text, operator.op, x(holes), y(holes), fault) }
  }
}

const parenthesize = (r: Reader, at: Lexeme): never =>
  r.fault(`'${at.text}' needs parentheses here: WGSL gives it no precedence over its neighbour`, at)

function prefixed(r: Reader): Operand {
  const at = r.next
  const op = at.kind === 'symbol' ? PREFIX.get(at.text) : undefined
  if (!op) return { build: postfixed(r), at }
  r.take()
  const { build } = prefixed(r)
  return { build: (holes) => unary(at.text, op, build(holes), (message) => r.fault(message, at)), at }
}

function postfixed(r: Reader): Build {
  let build = primary(r)
  for (;;) {
    const at = r.next
    const of = build
    const handle = (holes: readonly unknown[]): Handle => {
      const v = of(holes)
      return isHandle(v) ? v : r.fault('an expression is expected here, not a literal', at)
    }
    if (r.skip('[')) {
      const index = expression(r, 0).build
      r.expect(']')
      build = (holes) => step(handle(holes), plain(index(holes)))
    } else if (r.skip('.')) {
      const name = r.name('the name of a lane or field')
      build = (holes) => member(r, handle(holes), name, at)
    } else return build
  }
}

function member(r: Reader, of: Handle, name: string, at: Lexeme): Value {
  if (isValueName(of.type)) return swizzle(of, name)
  const field = (of as unknown as Record<string, unknown>)[name]
  return isHandle(field) ? field : r.fault(`'${name}' is not a field of ${of.type}`, at)
}

function primary(r: Reader): Build {
  const { kind, text } = r.next
  if (kind === 'end') r.fault('an operand is expected here')
  if (kind === 'number') return number(r.take().text)
  if (kind === 'hole') return hole(r)
  if (kind === 'name') return named(r)
  if (!r.skip('(')) r.fault(`an operand is expected before '${text}'`)
  const { build } = expression(r, 0)
  r.expect(')')
  return build
}

function hole(r: Reader): Build {
  const at = r.take()
  const given = args(r)
  return (holes) => {
    const x = holes[at.part]
    if (given) return typeof x === 'function' ? x(...given(holes)) : r.fault(`${describe(x)} is not a function`, at)
    if (typeof x === 'number') return { literal: x, float: !Number.isInteger(x) }
    return isHandle(x) || typeof x === 'boolean' ? x : r.fault(`${describe(x)} cannot stand in an expression`, at)
  }
}

/** `true`, `false`, a constructor, or a built-in function. */
function named(r: Reader): Build {
  const at = r.take()
  const { text } = at
  if (text === 'true' || text === 'false') return () => text === 'true'
  const type = r.skip('<') ? r.name('a type') : null
  if (type !== null) r.expect('>')
  const given = args(r) ?? r.fault(`'${text}' is not a value; put it in as \${${text}}`, at)
  if (text === 'bitcast') {
    if (!isValueName(type)) return r.fault('bitcast needs a type: bitcast<u32>(x)', at)
    return (holes) => bitcast(type, given(holes)[0])
  }
  if (isValueName(text)) return (holes) => construct(text, given(holes))
  const f = Object.hasOwn(builtinFunctions, text) ? builtinFunctions[text] : undefined
  if (!f) return r.fault(`'${text}' is not a built-in function; a function of your own goes in as \${${text}}(…)`, at)
  return (holes) => f(...given(holes)) as Value
}

/** The arguments in parentheses, if there are parentheses. */
function args(r: Reader): ((holes: readonly unknown[]) => unknown[]) | null {
  if (!r.skip('(')) return null
  const out: Build[] = []
  while (!r.skip(')')) {
    out.push(expression(r, 0).build)
    if (!r.skip(',')) {
      r.expect(')')
      break
    }
  }
  return (holes) => out.map((build) => plain(build(holes)))
}

const SUFFIXES: Readonly<Record<string, 'i32' | 'u32' | 'f32' | 'f16'>> = { i: 'i32', u: 'u32', f: 'f32', h: 'f16' }

/** A suffix gives a number its type; without one it stays a literal. */
function number(text: string): Build {
  const hex = /^0x/i.test(text)
  const [suffix = ''] = (hex ? /[iu]$/ : /[iufh]$/).exec(text) ?? []
  const digits = text.slice(0, text.length - suffix.length)
  const type = SUFFIXES[suffix]
  const literal = Number(digits)
  const value: Value = type ? construct(type, [literal]) : { literal, float: !hex && /[.e]/i.test(digits) }
  return () => value
}

export function parse(parts: readonly string[]): Build {
  const r = new Reader(parts)
  const { build } = expression(r, 0)
  return r.next.kind === 'end' ? build : r.fault('the expression ends before this')
}
