import type { PureName } from '../../ops'
import { isValueName, type ValueName } from '../../types'
import { apply, bitcast } from '../apply'
import { construct } from '../construct'
import { fail } from '../context'
import { type Handle, isHandle } from '../handle'
import { describe } from '../lift'
import { builtinFunctions } from '../methods'
import { step, swizzle } from '../ref'
import { type Spot, TemplateError } from './lexer'
import { parse, type Tree } from './parser'

/** Expression templates: `` f32`${a} * ${b} + 1` ``. The text is parsed once per place in the source. */

const cache = new WeakMap<TemplateStringsArray, Tree>()

export function template(type: ValueName, strings: TemplateStringsArray, holes: readonly unknown[]): Handle {
  const tree = parsed(strings)
  const value = new Evaluation(strings, holes).value(tree)
  const handle = isHandle(value) ? value : construct(type, [value])
  if (handle.type !== type) {
    fail(
      'type-mismatch',
      `the template is tagged ${type}, and its value is ${handle.type}`,
      `tag it ${handle.type}, or convert: ${type}(…)`,
    )
  }
  return handle
}

function parsed(strings: TemplateStringsArray): Tree {
  let tree = cache.get(strings)
  if (!tree) {
    try {
      tree = parse(strings)
    } catch (e) {
      if (e instanceof TemplateError) return fail('bad-template', `${e.message}\n${caret(strings, e.at)}`)
      throw e
    }
    cache.set(strings, tree)
  }
  return tree
}

/** The text of the template with a caret under the place. */
function caret(strings: readonly string[], at: Spot): string {
  let text = ''
  let column = 0
  strings.forEach((s, i) => {
    if (i === at.part) column = text.length + at.offset
    text += s.replace(/\s/g, ' ') + (i < strings.length - 1 ? '${…}' : '')
  })
  return `    ${text}\n    ${' '.repeat(column)}^`
}

const UNARY: Readonly<Record<string, PureName>> = { '-': 'neg', '~': 'bitNot', '!': 'not' }
const BINARY: Readonly<Record<string, PureName>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '<<': 'shl',
  '>>': 'shr',
  '^': 'bitXor',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '==': 'eq',
  '!=': 'ne',
  '&&': 'and',
  '||': 'or',
  '&': 'bitAnd',
  '|': 'bitOr',
}

/** A literal that has no type yet. Arithmetic on literals alone is done here, as WGSL does on abstract numbers. */
interface Literal {
  readonly literal: number
  readonly float: boolean
}
const isLiteral = (x: unknown): x is Literal => typeof x === 'object' && x !== null && 'literal' in x

type Value = Handle | Literal | boolean

class Evaluation {
  constructor(
    private readonly strings: readonly string[],
    private readonly holes: readonly unknown[],
  ) {}

  /** The value, with literals as JavaScript numbers. */
  value(tree: Tree): Handle | number | boolean {
    const v = this.eval(tree)
    return isLiteral(v) ? v.literal : v
  }

  private eval(tree: Tree): Value {
    switch (tree.kind) {
      case 'number':
        return this.number(tree)
      case 'bool':
        return tree.value
      case 'hole':
        return this.hole(tree)
      case 'unary':
        return this.unary(tree)
      case 'binary':
        return this.binary(tree)
      case 'call':
        return this.call(tree)
      case 'index':
        return step(this.handle(tree.of), this.value(tree.index))
      case 'member':
        return this.member(tree)
    }
  }

  private fault(message: string, at: Spot): never {
    return fail('bad-template', `${message}\n${caret(this.strings, at)}`)
  }

  private number(tree: Extract<Tree, { kind: 'number' }>): Value {
    const type = ({ i: 'i32', u: 'u32', f: 'f32', h: 'f16' } as const)[tree.suffix]
    return type ? construct(type, [tree.value]) : { literal: tree.value, float: tree.float }
  }

  private hole(tree: Extract<Tree, { kind: 'hole' }>): Value {
    const x = this.holes[tree.index]
    if (isHandle(x) || typeof x === 'boolean') return x
    if (typeof x === 'number') return { literal: x, float: !Number.isInteger(x) }
    return this.fault(`${describe(x)} cannot stand in an expression`, tree.at)
  }

  private handle(tree: Tree): Handle {
    const v = this.eval(tree)
    return isHandle(v) ? v : this.fault('an expression is expected here, not a literal', tree.at)
  }

  private unary(tree: Extract<Tree, { kind: 'unary' }>): Value {
    const a = this.eval(tree.arg)
    if (isLiteral(a)) {
      if (tree.op === '-') return { literal: a.literal === 0 && !a.float ? 0 : -a.literal, float: a.float }
      if (tree.op === '~') return { literal: ~a.literal, float: false }
    }
    if (typeof a === 'boolean')
      return tree.op === '!' ? !a : this.fault(`'${tree.op}' does not apply to a bool`, tree.at)
    if (isLiteral(a)) return this.fault("'!' does not apply to a number", tree.at)
    return apply(UNARY[tree.op] as PureName, [a])
  }

  private binary(tree: Extract<Tree, { kind: 'binary' }>): Value {
    const a = this.eval(tree.a)
    const b = this.eval(tree.b)
    if (isLiteral(a) && isLiteral(b)) return this.fold(tree, a, b)
    const plain = (v: Value): unknown => (isLiteral(v) ? v.literal : v)
    const op = BINARY[tree.op] as PureName
    const bools = [a, b].some((v) => typeof v === 'boolean' || (isHandle(v) && v.type.includes('bool')))
    return apply(bools && op === 'bitAnd' ? 'boolAnd' : bools && op === 'bitOr' ? 'boolOr' : op, [plain(a), plain(b)])
  }

  private fold(tree: Extract<Tree, { kind: 'binary' }>, a: Literal, b: Literal): Value {
    const [x, y] = [a.literal, b.literal]
    const float = a.float || b.float
    switch (tree.op) {
      case '+':
        return { literal: x + y, float }
      case '-':
        return { literal: x - y, float }
      case '*':
        return { literal: x * y, float }
      case '/':
        return y === 0 ? this.fault('division by zero', tree.at) : { literal: float ? x / y : Math.trunc(x / y), float }
      case '%':
        return y === 0 ? this.fault('division by zero', tree.at) : { literal: x % y, float }
      case '<<':
        return { literal: x * 2 ** y, float: false }
      case '>>':
        return { literal: Math.floor(x / 2 ** y), float: false }
      case '<':
        return x < y
      case '<=':
        return x <= y
      case '>':
        return x > y
      case '>=':
        return x >= y
      case '==':
        return x === y
      case '!=':
        return x !== y
      default:
        return this.fault(`'${tree.op}' of two literals has no type: give one a suffix (1u, 1i)`, tree.at)
    }
  }

  private call(tree: Extract<Tree, { kind: 'call' }>): Value {
    const args = tree.args.map((a) => this.value(a))
    if (typeof tree.name === 'number') {
      const f = this.holes[tree.name]
      return typeof f === 'function' ? (f(...args) as Handle) : this.fault(`${describe(f)} is not a function`, tree.at)
    }
    if (tree.name === 'bitcast') {
      return isValueName(tree.template)
        ? bitcast(tree.template, args[0])
        : this.fault('bitcast needs a type: bitcast<u32>(x)', tree.at)
    }
    if (isValueName(tree.name)) return construct(tree.name, args)
    const f = Object.hasOwn(builtinFunctions, tree.name) ? builtinFunctions[tree.name] : undefined
    if (typeof f !== 'function')
      return this.fault(
        `'${tree.name}' is not a built-in function; a function of your own goes in as \${${tree.name}}(…)`,
        tree.at,
      )
    return f(...args) as Handle
  }

  private member(tree: Extract<Tree, { kind: 'member' }>): Value {
    const of = this.eval(tree.of)
    if (!isHandle(of)) return this.fault('a literal has no members', tree.at)
    if (isValueName(of.type)) return swizzle(of, tree.name)
    const field = (of as unknown as Record<string, unknown>)[tree.name]
    return isHandle(field) ? field : this.fault(`'${tree.name}' is not a field of ${of.type}`, tree.at)
  }
}
