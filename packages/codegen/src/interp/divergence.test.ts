import { d, inout, input, kernel, output, u32 } from '@weft/dsl'
import { describe, expect, test } from 'vitest'
import { run, words } from './testing/run'

/** Subgroup operations where not all invocations take part. */

const U = d.arrayOf(d.u32)
const COUNT = 96
const values = words(COUNT, (i) => (i * 7 + 3) % 32)

/** What each invocation should get, from the values of its subgroup and its place in it. */
const expected = (size: number, f: (group: number[], lane: number) => number): number[] =>
  [...values].map((_, i) => f([...values].slice(i - (i % size), i - (i % size) + size), i % size) >>> 0)

const sum = (a: number[]) => a.reduce((x, y) => x + y, 0)

describe.each([4, 8, 16, 32, 64, 128])('subgroups of %i', (size) => {
  test('inactive invocations of divergent flow take no part', () => {
    const k = kernel('k', { workgroupSize: [COUNT], bindings: { x: input(U), y: inout(U) } }, ({ x, y }, k) => {
      const i = k.localIndex
      const v = k.let('v', x.at(i))
      k.if(
        v.bitAnd(1).eq(0),
        () => y.at(i).set(k.subgroupAdd(v)),
        () => {
          k.if(v.gt(15), () => k.return())
          y.at(i).set(k.subgroupBroadcastFirst(v).add(1000))
        },
      )
      y.at(i).addAssign(k.subgroupAdd(u32(1)).mul(10000))
    })
    const y = words(COUNT)
    run(k, { x: values, y }, { subgroupSize: size })
    expect([...y]).toEqual(
      expected(size, (g, lane) => {
        const v = g[lane] as number
        const alive = g.filter((w) => w % 2 === 0 || w <= 15).length * 10000
        if (v % 2 === 0) return sum(g.filter((w) => w % 2 === 0)) + alive
        return v > 15 ? 0 : (g.find((w) => w % 2 === 1 && w <= 15) as number) + 1000 + alive
      }),
    )
  })

  test('loops with different trip counts: who has left takes no part', () => {
    const k = kernel('k', { workgroupSize: [COUNT], bindings: { x: input(U), y: output(U) } }, ({ x, y }, k) => {
      const i = k.localIndex
      const n = k.let('n', x.at(i).rem(5))
      const total = k.var('total', u32(0))
      k.range('r', n, (r) => {
        k.if(r.eq(3), () => k.continue())
        total.addAssign(k.subgroupAdd(u32(1)))
      })
      const w = k.var('w', u32(0))
      k.loop(
        () => {
          k.if(w.ge(n), () => k.break())
          total.addAssign(k.subgroupAdd(u32(100)))
        },
        () => {
          w.addAssign(1)
        },
      )
      y.at(i).set(total)
    })
    const y = words(COUNT)
    run(k, { x: values, y }, { subgroupSize: size })
    expect([...y]).toEqual(
      expected(size, (g, lane) => {
        let total = 0
        const n = (g[lane] as number) % 5
        for (let r = 0; r < n; r++) {
          const active = g.filter((v) => v % 5 > r).length
          total += (r === 3 ? 0 : active) + active * 100
        }
        return total
      }),
    )
  })

  test('a switch on the value', () => {
    const k = kernel('k', { workgroupSize: [COUNT], bindings: { x: input(U), y: output(U) } }, ({ x, y }, k) => {
      const i = k.localIndex
      const v = k.let('v', x.at(i))
      k.switch(v.rem(4), (c) => {
        c.case(0, () => y.at(i).set(k.subgroupAdd(u32(1))))
        c.case([1, 2], () => {
          k.if(v.gt(20), () => k.break())
          y.at(i).set(k.subgroupAdd(u32(100)))
        })
        c.default(() => y.at(i).set(k.subgroupMax(v)))
      })
    })
    const y = words(COUNT)
    run(k, { x: values, y }, { subgroupSize: size })
    expect([...y]).toEqual(
      expected(size, (g, lane) => {
        const v = g[lane] as number
        const kind = (w: number) => (w % 4 === 0 ? 0 : w % 4 === 3 ? 2 : 1)
        const like = g.filter((w) => kind(w) === kind(v))
        if (kind(v) === 0) return like.length
        if (kind(v) === 2) return Math.max(...like)
        return v > 20 ? 0 : like.filter((w) => w <= 20).length * 100
      }),
    )
  })
})
