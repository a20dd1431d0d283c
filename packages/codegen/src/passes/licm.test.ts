import { f32, fn, u32 } from '@weft/dsl'
import { type Expr, forEachExpr, type Op } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'
import { licm } from './testing/passes'

test('what a loop does not change and what costs is computed before the outermost such loop', () => {
  expect(
    bodyOf(
      dce(
        licm(
          built(({ out, x, n, m, s }, k) => {
            k.range('i', n, (i) => {
              k.range('j', m, (j) => {
                out.at(i.add(j)).set(
                  fn
                    .sqrt(s.add(1))
                    .mul(f32(i.div(m)))
                    .add(x.at(n.div(m).add(j))),
                )
              })
            })
          }),
        ),
      ),
    ),
  ).toBe(text`
    %1 = let quotient = n / m
    range %2 i = 0:u32, n, 1:u32 {
      %3 = let fixed = sqrt(s + 1:f32) * f32(%2 / m)
      range %4 j = 0:u32, m, 1:u32 {
        %5 = load x[%1 + %4]
        store out[%2 + %4] = %3 + %5
      }
    }
  `)
})

test('loads and cheap expressions stay where they are', () => {
  const kernel = built(({ out, x, n, s }, k) => {
    k.range('i', n, (i) => out.at(i).set(x.at(0).add(s.mul(2))))
  })
  expect(bodyOf(licm(kernel))).toBe(bodyOf(kernel))
})

test('in a loop of its own tests, too', () => {
  expect(
    bodyOf(
      dce(
        licm(
          built(({ out, n, m }, k) => {
            const i = k.var('i', u32(1))
            k.while(
              () => i.lt(n.div(m)),
              () => i.addAssign(1),
            )
            out.at(0).set(f32(i))
          }),
        ),
      ),
    ),
  ).toMatch(/^var i: u32 = 1:u32\n%1 = let quotient = n \/ m\nloop/)
})

test('what changes in a loop stays one expression where it is used more than once', () => {
  const moved = licm(
    built(({ out, n, m }, k) => {
      k.range('i', n, (i) => {
        const once = n.div(m).bitXor(i)
        out.at(i).set(f32(once.mul(once)))
      })
    }),
  )
  expect(bodyOf(moved)).toContain('= let quotient = n / m')
  const products: Expr[] = []
  forEachExpr(moved.body, (e) => {
    if (e.kind === 'op' && e.op === 'mul') products.push(e)
  })
  const [product] = products as [Op]
  expect(product.args[0]).toBe(product.args[1])
})

test('neighbouring indices share what they are made of: a constant offset stays where it is', () => {
  expect(
    bodyOf(
      dce(
        licm(
          built(({ out, n, m }, k) => {
            k.range('i', n, () => {
              const at = n.div(m).add(m)
              out.at(at.add(1)).set(1)
              out.at(at.add(2)).set(2)
            })
          }),
        ),
      ),
    ),
  ).toBe(text`
    %1 = let base = (n / m) + m
    range %2 i = 0:u32, n, 1:u32 {
      store out[%1 + 1:u32] = 1:f32
      store out[%1 + 2:u32] = 2:f32
    }
  `)
})
