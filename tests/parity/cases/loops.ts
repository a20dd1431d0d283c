import { type Expr, i32, u32 } from '@weft/dsl'
import { chorus, story } from './story.js'

const sum = (from: number, below: number, step = 1): number => {
  let total = 0
  for (let i = from; step > 0 ? i < below : i > below; i += step) total += i
  return total
}

/** range, for, while, loop with continuing and break-if. */
export const loops = [
  story('range from 0', [sum(0, 10)], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(10), (i) => total.addAssign(i))
    put(total)
  }),
  story('range with start', [sum(3, 9)], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(3), n(9), (i) => total.addAssign(i))
    put(total)
  }),
  story('range with step', [sum(1, 14, 4)], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(1), n(14), n(4), (i) => total.addAssign(i))
    put(total)
  }),
  story('range downwards', [sum(10, -3, -3)], ({ k, put, i }) => {
    const total = k.var('total', i32(0))
    k.range('i', i(10), i(0).sub(3), -3, (j) => total.addAssign(j))
    put(total)
  }),
  story('range over negative numbers', [sum(-5, 5, 2)], ({ k, put, i }) => {
    const total = k.var('total', i32(0))
    k.range('i', i(0).sub(5), i(5), 2, (j) => total.addAssign(j))
    put(total)
  }),
  story('empty ranges', [1, 1], ({ k, put, n, i }) => {
    const total = k.var('total', u32(1))
    k.range('i', n(5), n(5), () => total.set(9))
    put(total)
    k.range('i', i(3), i(5), -1, () => total.set(9))
    put(total)
  }),
  story('bounds of a range are evaluated once', [4, 9], ({ k, put, n }) => {
    const end = k.var('end', n(4))
    const rounds = k.var('rounds', u32(0))
    k.range('i', end, () => {
      rounds.addAssign(1)
      end.set(9)
    })
    put(rounds, end)
  }),
  story('range up to the greatest u32', [3], ({ k, put, n }) => {
    const rounds = k.var('rounds', u32(0))
    k.range('i', n(0).sub(4), n(0).sub(1), () => rounds.addAssign(1))
    put(rounds)
  }),
  story('unrolled range', [0, 1, 4, 9], ({ k, put }) => {
    const squares = Array.from({ length: 4 }, (_, i) => k.var(`s${i}`, u32(0)))
    k.range('i', 0, 4, 1, (i) => squares.forEach((s, j) => void k.if(i.eq(j), () => s.set(i.mul(i)))), { unroll: true })
    put(...squares)
  }),
  story(
    'ranges in groups of rounds',
    [0, 1, 3, 4, 8, 9, 11]
      .flatMap((n) => [n, (n * (n - 1)) / 2])
      .concat([5, 0 + 3 + 6 + 9 + 12, 5, 13 + 10 + 7 + 4 + 1]),
    ({ k, put, n, i }) => {
      const rounds = k.var('rounds', u32(0))
      const total = k.var('total', u32(0))
      const count = (x: Expr<'u32'>): void => {
        rounds.addAssign(1)
        total.addAssign(x)
      }
      const ends: readonly (() => void)[] = [
        ...[0, 1, 3, 4, 8, 9, 11].map((end) => () => k.range('i', n(0), n(end), count, { unroll: 4 })),
        () => k.range('i', n(0), n(14), 3, count, { unroll: 2 }),
        () => k.range('i', i(13), i(0).sub(1), -3, (x) => count(u32(x)), { unroll: 2 }),
      ]
      for (const run of ends) {
        rounds.set(0)
        total.set(0)
        run()
        put(rounds, total)
      }
    },
  ),
  story(
    'nested ranges',
    [
      Array.from({ length: 4 }, (_, i) => Array.from({ length: i }, (_x, j) => i * 10 + j))
        .flat()
        .reduce((a, b) => a + b, 0),
    ],
    ({ k, put, n }) => {
      const total = k.var('total', u32(0))
      k.range('i', n(4), (i) => k.range('j', i, (j) => total.addAssign(i.mul(10).add(j))))
      put(total)
    },
  ),
  story('for', [0 + 1 + 2 + 4 + 8, 16], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    const last = k.var('last', u32(0))
    k.for(
      'i',
      u32(1),
      (i) => i.lt(n(9).add(5)),
      (i) => i.mul(2),
      (i) => {
        total.addAssign(i)
        last.set(i.mul(2))
      },
    )
    put(total, last)
  }),
  story('for whose update is a statement', [5], ({ k, put, n }) => {
    const rounds = k.var('rounds', u32(0))
    k.for(
      'i',
      u32(0),
      (i) => i.lt(n(10)),
      (i) => i.addAssign(2),
      () => rounds.addAssign(1),
    )
    put(rounds)
  }),
  story('while', [111, 0], ({ k, put, n }) => {
    // the rounds of 3x + 1 from 27 on
    const v = k.var('v', n(15).add(12))
    const rounds = k.var('rounds', u32(0))
    k.while(
      () => v.ne(1),
      () => {
        k.if(
          v.rem(2).eq(0),
          () => v.divAssign(2),
          () => v.set(v.mul(3).add(1)),
        )
        rounds.addAssign(1)
      },
    )
    put(rounds)
    k.while(
      () => n(0).eq(1),
      () => rounds.set(5),
    )
    put(rounds.sub(111))
  }),
  story('while whose test reads memory', [5], ({ k, put, x }) => {
    const i = k.var('i', u32(0))
    k.while(
      () => x.at(i).lt(5),
      () => i.addAssign(1),
    )
    put(i)
  }),
  story('loop with break', [6], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    k.loop(() => {
      k.if(v.ge(n(6)), () => k.break())
      v.addAssign(1)
    })
    put(v)
  }),
  story('loop with continuing and break-if', [4, 40], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    const w = k.var('w', u32(0))
    k.loop(
      () => w.addAssign(10),
      () => {
        v.addAssign(1)
        return v.ge(n(4))
      },
    )
    put(v, w)
  }),
  story('continue runs the continuing block', [5, 3], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    const w = k.var('w', u32(0))
    k.loop(
      () => {
        k.if(v.rem(2).eq(1), () => k.continue())
        w.addAssign(1)
      },
      () => {
        v.addAssign(1)
        return v.ge(n(5))
      },
    )
    put(v, w)
  }),
  story('continuing without break-if', [3, 3], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    const w = k.var('w', u32(0))
    k.loop(
      () => k.if(v.eq(n(3)), () => k.break()),
      () => {
        v.addAssign(1)
        w.addAssign(1)
      },
    )
    put(v, w)
  }),
  chorus(
    'rounds that differ by invocation',
    20,
    (i) => sum(0, i % 7),
    (i, k) => {
      const total = k.var('total', u32(0))
      k.range('j', i.rem(7), (j) => total.addAssign(j))
      return total
    },
  ),
  chorus(
    'a loop that carries two variables',
    12,
    (i) => [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89][i]!,
    (i, k) => {
      const a = k.var('a', u32(0))
      const b = k.var('b', u32(1))
      k.range('j', i, () => {
        const next = k.let('next', a.add(b))
        a.set(b)
        b.set(next)
      })
      return a
    },
  ),
  chorus(
    'loops in branches',
    10,
    (i) => (i % 2 ? sum(0, i) : sum(0, i) * 2),
    (i, k) => {
      const v = k.var('v', u32(0))
      k.if(
        i.rem(2).eq(1),
        () => k.range('j', i, (j) => v.addAssign(j)),
        () => k.range('j', i, (j) => v.addAssign(j.mul(2))),
      )
      return v
    },
  ),
  story('an index may be used after the loop by a variable', [7], ({ k, put, n }) => {
    const last = k.var('last', u32(0))
    k.range('i', n(8), (i) => last.set(i))
    put(last)
  }),
]
