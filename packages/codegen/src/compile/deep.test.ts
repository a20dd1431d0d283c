import { d, type Expr, input, kernel, output } from '@weft/dsl'
import { deserialize, serialize } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { prepare } from '../interp'
import { compile } from './compile'
import { explain } from './explain'
import { show } from './show'

const f32s = d.arrayOf(d.f32)

/** A sum of so many terms in one expression, or with a name for each part of it. */
const chain = (terms: number, part = Infinity) =>
  kernel(
    'chain',
    { workgroupSize: [1], bindings: { x: input(f32s), y: output(f32s) }, guards: 'off', workgroups: () => [1] },
    ({ x, y }, k) => {
      const one = x.at(0)
      let sum: Expr<'f32'> = one
      for (let i = 1; i < terms; i++) {
        sum = sum.add(one)
        if (i % part === 0) sum = k.let('sum', sum)
      }
      y.at(0).set(sum)
    },
  )

test('expressions that are deeper than the stack are refused with their line, whoever walks over them', () => {
  const deep = chain(4000)
  const refusal =
    /^too-deep: an expression of kernel 'chain' is 3999 operations deep, .*\n {2}at .*deep\.test\.ts:\d+:\d+\n {2}note: name a part/
  for (const walk of [compile, explain, show]) expect(() => walk(deep)).toThrow(refusal)
  for (const pass of ['source', 'dce'] as const) expect(() => show(deep, { pass })).toThrow(refusal)
  expect(() => prepare(deep.ir())).toThrow('too-deep: ')
})

test('and those of 1,000 operations are taken, as are any number of parts with names', () => {
  for (const [terms, part] of [[1000], [3000, 100]] as const) {
    const source = chain(terms, part)
    const kernel = deserialize(serialize(source.ir()))
    expect(compile(source).variants[0]?.wgsl).toContain('y[0]')
    const y = new Uint8Array(4)
    prepare(kernel).run({
      bindings: { x: new Uint8Array(new Float32Array(4).fill(1).buffer), y },
      workgroups: [1],
    })
    expect(new Float32Array(y.buffer)[0]).toBe(terms)
  }
})
