import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hostCode } from '../../packages/codegen/src/cli/gen/launch'
import { docComment, literal, template } from '../../packages/codegen/src/cli/gen/literal'
import { evaluateHost, type HostExpr } from '../../packages/dsl/src/ir'

/** The value of an expression of JavaScript. */
const value = (code: string, names: Readonly<Record<string, unknown>> = {}): unknown =>
  new Function(...Object.keys(names), `return (${code})`)(...Object.values(names))

const hostExpr: fc.Arbitrary<HostExpr> = fc.letrec<{ e: HostExpr }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 4 },
    fc.nat(100),
    fc.constantFrom<HostExpr>(
      { kind: 'param', name: 'n' },
      { kind: 'override', name: 'size' },
      { kind: 'length', binding: 'x' },
    ),
    fc.record({ kind: fc.constantFrom('add', 'sub', 'mul', 'div', 'ceilDiv', 'min', 'max'), a: tie('e'), b: tie('e') }),
  ),
})).e

it('a launch rule as code gives what the rule gives', () => {
  const scope = { param: () => 1000, override: () => 64, length: () => 777 }
  const names = { params: { n: 1000 }, overrides: { size: 64 }, lengths: { x: 777 } }
  fc.assert(fc.property(hostExpr, (e) => void expect(value(hostCode(e), names)).toBe(evaluateHost(e, scope))))
})

it('a launch rule has no more parentheses than it needs', () => {
  const n: HostExpr = { kind: 'param', name: 'n' }
  expect(hostCode({ kind: 'ceilDiv', a: n, b: 64 })).toBe('Math.ceil(params.n / 64)')
  expect(hostCode({ kind: 'mul', a: { kind: 'add', a: n, b: { kind: 'mul', a: n, b: 2 } }, b: n })).toBe(
    '(params.n + params.n * 2) * params.n',
  )
  expect(hostCode({ kind: 'sub', a: n, b: { kind: 'sub', a: n, b: 1 } })).toBe('params.n - (params.n - 1)')
})

it('literals are the data that they were made of', () => {
  // no literal has it as an ordinary key
  const data = fc.jsonValue().filter((d) => !JSON.stringify(d).includes('__proto__'))
  fc.assert(fc.property(data, (d) => void expect(value(literal(d))).toEqual(d)))
  expect(literal({ a: undefined, 'b-c': [1, -0], d: "it's" })).toBe("{ 'b-c': [1, -0], d: 'it\\'s' }")
})

it('template literals hold any text', () => {
  const text = fc.string({ unit: fc.constantFrom('`', '$', '{', '}', '\\', '\n', 'a', '”', '\u2028') })
  fc.assert(fc.property(text, (t) => void expect(value(template(t))).toBe(t)))
})

it('doc comments end where they should', () => {
  expect(docComment('')).toBe('')
  expect(docComment('one */ line')).toBe('/** one *\\/ line */\n')
  expect(docComment('two\n\nlines')).toBe('/**\n * two\n *\n * lines\n */\n')
})
