import { type Lexeme, lex, type Spot, TemplateError } from './lexer'

/**
 * A WGSL expression as a tree, by WGSL's own grammar: what mixes operators without parentheses where WGSL wants
 * them (`a & b | c`, `a < b < c`, `a + b << c`, `a && b || c`) is an error here too.
 */
export type Tree =
  | {
      readonly kind: 'number'
      readonly value: number
      readonly float: boolean
      readonly suffix: string
      readonly at: Spot
    }
  | { readonly kind: 'bool'; readonly value: boolean; readonly at: Spot }
  | { readonly kind: 'hole'; readonly index: number; readonly at: Spot }
  | { readonly kind: 'unary'; readonly op: string; readonly arg: Tree; readonly at: Spot }
  | { readonly kind: 'binary'; readonly op: string; readonly a: Tree; readonly b: Tree; readonly at: Spot }
  | {
      readonly kind: 'call'
      readonly name: string | number
      readonly args: readonly Tree[]
      readonly template: string | null
      readonly at: Spot
    }
  | { readonly kind: 'index'; readonly of: Tree; readonly index: Tree; readonly at: Spot }
  | { readonly kind: 'member'; readonly of: Tree; readonly name: string; readonly at: Spot }

type Parse = (p: Parser) => Tree

class Parser {
  private i = 0
  constructor(private readonly lexemes: readonly Lexeme[]) {}

  get peek(): Lexeme {
    return this.lexemes[this.i] as Lexeme
  }
  next(): Lexeme {
    const l = this.peek
    if (l.kind !== 'end') this.i++
    return l
  }
  is(...symbols: string[]): boolean {
    const l = this.peek
    return l.kind === 'symbol' && symbols.includes(l.text)
  }
  expect(symbol: string): void {
    if (!this.is(symbol)) throw new TemplateError(`'${symbol}' is expected here`, this.peek.at)
    this.next()
  }
}

/** Operators that group from the left with those of their own kind. */
const leftAssociative =
  (symbols: readonly string[], operand: Parse): Parse =>
  (p) => {
    let a = operand(p)
    while (p.is(...symbols)) {
      const { at, text } = p.next() as Extract<Lexeme, { kind: 'symbol' }>
      a = { kind: 'binary', op: text, a, b: operand(p), at }
    }
    return a
  }

const multiplicative = leftAssociative(['*', '/', '%'], unary)
const additive = leftAssociative(['+', '-'], multiplicative)

const parenthesize = (p: Parser, op: string): never => {
  throw new TemplateError(`'${op}' needs parentheses here: WGSL gives it no precedence over its neighbour`, p.peek.at)
}

/** Shifts take unary operands only; comparisons do not chain; `&`, `|`, `^` do not mix with each other or with arithmetic. */
function relational(p: Parser): Tree {
  const start = p.peek
  let a = additive(p)
  if (p.is('<<', '>>')) {
    if (a.kind === 'binary' && !closed(start, a)) parenthesize(p, (p.peek as { text: string }).text)
    const { at, text } = p.next() as Extract<Lexeme, { kind: 'symbol' }>
    a = { kind: 'binary', op: text, a, b: unary(p), at }
    if (p.is('<<', '>>', '+', '-', '*', '/', '%')) parenthesize(p, (p.peek as { text: string }).text)
  }
  if (p.is('<', '>', '<=', '>=', '==', '!=')) {
    const { at, text } = p.next() as Extract<Lexeme, { kind: 'symbol' }>
    a = { kind: 'binary', op: text, a, b: shiftOperand(p), at }
    if (p.is('<', '>', '<=', '>=', '==', '!=')) parenthesize(p, (p.peek as { text: string }).text)
  }
  return a
}

function shiftOperand(p: Parser): Tree {
  const start = p.peek
  const a = additive(p)
  if (!p.is('<<', '>>')) return a
  if (a.kind === 'binary' && !closed(start, a)) parenthesize(p, (p.peek as { text: string }).text)
  const { at, text } = p.next() as Extract<Lexeme, { kind: 'symbol' }>
  return { kind: 'binary', op: text, a, b: unary(p), at }
}

/** Whether a binary tree came out of one pair of parentheses (marked by the parser). */
const parenthesized = new WeakSet<Tree>()
const closed = (_start: Lexeme, tree: Tree): boolean => parenthesized.has(tree)

function expression(p: Parser): Tree {
  const a = relational(p)
  for (const op of ['&&', '||'] as const) if (p.is(op)) return chain(p, a, op, relational)
  for (const op of ['&', '|', '^'] as const) {
    if (!p.is(op)) continue
    if (a.kind === 'binary' && !parenthesized.has(a)) parenthesize(p, op)
    return chain(p, a, op, unary)
  }
  return a
}

function chain(p: Parser, first: Tree, op: string, operand: Parse): Tree {
  let a = first
  while (p.is(op)) {
    const { at } = p.next()
    a = { kind: 'binary', op, a, b: operand(p), at }
  }
  if (p.is('&&', '||', '&', '|', '^', '<', '>', '<=', '>=', '==', '!=', '+', '-', '*', '/', '%', '<<', '>>'))
    parenthesize(p, (p.peek as { text: string }).text)
  return a
}

function unary(p: Parser): Tree {
  if (p.is('-', '!', '~')) {
    const { at, text } = p.next() as Extract<Lexeme, { kind: 'symbol' }>
    return { kind: 'unary', op: text, arg: unary(p), at }
  }
  return postfix(p, primary(p))
}

function postfix(p: Parser, start: Tree): Tree {
  let of = start
  for (;;) {
    const { at } = p.peek
    if (p.is('[')) {
      p.next()
      of = { kind: 'index', of, index: expression(p), at }
      p.expect(']')
    } else if (p.is('.')) {
      p.next()
      const name = p.next()
      if (name.kind !== 'name') throw new TemplateError('the name of a lane or field is expected here', name.at)
      of = { kind: 'member', of, name: name.text, at }
    } else return of
  }
}

function primary(p: Parser): Tree {
  const l = p.next()
  switch (l.kind) {
    case 'number':
      return l
    case 'hole':
      return p.is('(')
        ? { kind: 'call', name: l.index, args: args(p), template: null, at: l.at }
        : { kind: 'hole', index: l.index, at: l.at }
    case 'name': {
      if (l.text === 'true' || l.text === 'false') return { kind: 'bool', value: l.text === 'true', at: l.at }
      let template: string | null = null
      if (p.is('<')) template = templateArgument(p)
      if (!p.is('(')) throw new TemplateError(`'${l.text}' is not a value; put it in as \${${l.text}}`, l.at)
      return { kind: 'call', name: l.text, args: args(p), template, at: l.at }
    }
    case 'symbol':
      if (l.text === '(') {
        const inner = expression(p)
        p.expect(')')
        // A fresh node, so that the mark is of these parentheses.
        const tree = { ...inner }
        parenthesized.add(tree)
        return tree
      }
      throw new TemplateError(`an operand is expected before '${l.text}'`, l.at)
    case 'end':
      throw new TemplateError('an operand is expected here', l.at)
  }
}

function templateArgument(p: Parser): string {
  p.expect('<')
  const name = p.next()
  if (name.kind !== 'name') throw new TemplateError('a type is expected here', name.at)
  p.expect('>')
  return name.text
}

function args(p: Parser): readonly Tree[] {
  p.expect('(')
  const out: Tree[] = []
  while (!p.is(')')) {
    out.push(expression(p))
    if (!p.is(',')) break
    p.next()
  }
  p.expect(')')
  return out
}

export function parse(parts: readonly string[]): Tree {
  const p = new Parser(lex(parts))
  const tree = expression(p)
  if (p.peek.kind !== 'end') throw new TemplateError('the expression ends before this', p.peek.at)
  return tree
}
