import { func, i32, u32 } from '@weft/dsl'
import { type Expr, forEachExpr, type Kernel } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'
import { cse } from './testing/passes'

const products = (kernel: Kernel): Set<Expr> => {
  const found = new Set<Expr>()
  forEachExpr(kernel.body, (e) => e.kind === 'op' && e.op === 'mul' && found.add(e))
  return found
}

test('equal expressions are one node, wherever they stand', () => {
  const kernel = built(({ out, x, n }, k) => {
    k.if(
      n.lt(2),
      () => out.at(n.mul(3)).set(x.at(n.mul(3))),
      () => out.at(n.mul(3)).set(1),
    )
  })
  expect(products(kernel).size).toBe(3)
  expect(products(cse(kernel)).size).toBe(1)
})

test('operands are told apart by order, constants by the sign of zero and their type', () => {
  const kernel = built(({ out, u, n, m, s }) => {
    u.at(0).set(n.sub(m))
    u.at(1).set(m.sub(n))
    out.at(0).set(s.add(0))
    out.at(1).set(s.add(-0))
    out.at(2).set(s.mul(1))
    u.at(2).set(n.mul(1))
  })
  expect(bodyOf(cse(kernel))).toBe(bodyOf(kernel))
})

test('read-only memory is read once where the first read is visible', () => {
  expect(
    bodyOf(
      dce(
        cse(
          built(({ out, x, n }, k) => {
            out.at(1).set(x.at(n).add(x.at(n)))
            k.if(n.gt(9), () => out.at(2).set(x.at(3)))
            out.at(3).set(x.at(3))
          }),
        ),
      ),
    ),
  ).toBe(text`
    %1 = load x[n]
    store out[1:u32] = %1 + %1
    if n > 9:u32 {
      %2 = load x[3:u32]
      store out[2:u32] = %2
    }
    %3 = load x[3:u32]
    store out[3:u32] = %3
  `)
})

test('memory that is written is read each time', () => {
  expect(
    bodyOf(
      dce(
        cse(
          built(({ out, n }) => {
            const before = out.at(n).add(0.5)
            out.at(n).set(1)
            out.at(2).set(before.add(out.at(n)))
          }),
        ),
      ),
    ),
  ).toBe(text`
    %1 = load out[n]
    store out[n] = 1:f32
    %2 = load out[n]
    store out[2:u32] = (%1 + 0.5:f32) + %2
  `)
})

test('arguments of two functions with one name are two', () => {
  const f = func('f(a)', [u32], (a) => a.add(1))
  const g = func('g(a)', [i32], (a) => a.add(1))
  const kernel = built(({ u, n }) => u.at(0).set(f(n).add(u32(g(i32(n))))))
  expect(bodyOf(cse(kernel))).toBe(bodyOf(kernel))
  expect(cse(kernel).functions.map((x) => x.params[0]?.type)).toEqual(['u32', 'i32'])
})
