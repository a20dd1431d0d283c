import { expect, test } from 'vitest'
import { type Builder, d, func, i32, inout, input, kernel, output, override, ptr, texture, u32 } from '..'
import { render } from '../diagnostics'
import { validate } from '.'

/** What the builder lets pass, and `validate` must see without the help of `checkStructure`. */

const u32s = d.arrayOf(d.u32)
const atomics = d.arrayOf(d.atomic(d.u32))
const bump = func('bump(p)', [ptr('function', u32)], (p) => p.set(1))

function faults(
  bindings: Record<string, unknown>,
  body: (b: never, k: Builder) => void,
  overrides: Record<string, unknown> = {},
): string {
  const decl = { workgroupSize: [1], bindings: { y: output(u32s), ...bindings }, overrides, guards: 'off' }
  const source = kernel('t', decl as never, (b: { readonly y: { at(i: number): { set(x: number): void } } }, k) => {
    b.y.at(0).set(0)
    body(b as never, k)
  })
  return validate(source.ir())
    .map((f) => render({ ...f, position: null }))
    .join('\n')
}

interface Atomics {
  readonly a: { at(i: unknown): { add(x: number): void; load(): ReturnType<typeof u32> } }
}

test('an atomic whose index belongs to a block that ended', () => {
  expect(
    faults({ a: inout(atomics) }, ({ a }: Atomics, k) => {
      let late: { add(x: number): void } | undefined
      k.if(k.localIndex.lt(1), () => {
        late = a.at(k.let('i', a.at(1).load()))
      })
      late?.add(1)
    }),
  ).toMatch(
    /^out-of-scope: result \d+ is used outside the block that made it\n {2}note: store it in a k.var that is declared before the block$/,
  )
})

test('an atomic whose index belongs to another body', () => {
  expect(
    faults({ a: inout(atomics) }, ({ a }: Atomics, k) => {
      const i = k.let('i', a.at(1).load())
      const captured = a.at(i)
      func('f(x)', [u32], (_x) => captured.add(1))(i)
    }),
  ).toMatch(/^out-of-scope/)
})

test('a pointer to a variable of a block that ended', () => {
  expect(
    faults({}, (_, k) => {
      let late: unknown
      k.if(k.localIndex.lt(1), () => {
        late = k.var('v', u32(0))
      })
      bump(late as never)
    }),
  ).toBe("out-of-scope: 'v' is used outside the block that declares it")
})

test('a uniform load from a buffer', () => {
  expect(
    faults(
      { x: input(u32s) },
      ({ x }: { x: { at(i: number): never } }, k) => void k.let('v', k.workgroupUniformLoad(x.at(0))),
    ),
  ).toBe("invalid-ir: 'workgroupUniformLoad' cannot be applied to u32 in storage memory")
})

test('atomics of an output', () => {
  expect(faults({ a: output(atomics) }, ({ a }: Atomics) => a.at(0).add(1))).toMatch(
    /^binding-access: 'a' is an output and cannot be read and written at once/,
  )
})

test('the length of an array that an i32 sizes', () => {
  expect(
    faults(
      {},
      ({ n, y }: { n: never; y: { at(i: number): { set(x: unknown): void } } }, k) =>
        y.at(0).set(k.workgroup('w', d.f32, n).length),
      { n: override(i32, 4) },
    ),
  ).toBe("invalid-ir: override 'n' must be i32, not u32")
})

test('the size of a level of a texture without levels', () => {
  expect(
    faults(
      { t: texture(d.textureStorage2d('r32float', 'write-only')) },
      ({
        t,
        y,
      }: {
        t: { dimensions(level: number): { x: unknown } }
        y: { at(i: number): { set(x: unknown): void } }
      }) => y.at(0).set(t.dimensions(0).x),
    ),
  ).toBe("invalid-ir: 'textureDimensions' takes 0 arguments here, not 1")
})
