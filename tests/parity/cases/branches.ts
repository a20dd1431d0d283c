import { bool, fn, u32 } from '@weft/dsl'
import { chorus, story } from './story.js'

/** if, else if, switch: every branch, alone and nested, with variables that they set. */
export const branches = [
  story('if without else', [7, 1], ({ k, n, put }) => {
    const v = k.var('v', u32(1))
    k.if(n(1).eq(1), () => v.set(7))
    put(v)
    const w = k.var('w', u32(1))
    k.if(n(1).eq(2), () => w.set(7))
    put(w)
  }),
  story('if with else', [2, 3], ({ k, n, put }) => {
    const v = k.var('v', u32(1))
    k.if(
      n(0).eq(0),
      () => v.set(2),
      () => v.set(3),
    )
    put(v)
    k.if(n(0).ne(0), () => v.set(2)).else(() => v.set(3))
    put(v)
  }),
  chorus(
    'else-if chain',
    24,
    (i) => (i < 3 ? 10 : i < 7 ? 20 : i % 2 ? 30 : 40),
    (i, k) => {
      const v = k.var('v', u32(0))
      k.if(i.lt(3), () => v.set(10))
        .elseIf(i.lt(7), () => v.set(20))
        .elseIf(i.rem(2).eq(1), () => v.set(30))
        .else(() => v.set(40))
      return v
    },
  ),
  chorus(
    'else-if whose test reads memory',
    16,
    (i) => (i === 3 ? 1 : i % 16 === 5 ? 2 : 3),
    (i, k, x) => {
      const v = k.var('v', u32(3))
      k.if(i.eq(3), () => v.set(1)).elseIf(
        () => x.at(i.rem(16)).eq(5),
        () => v.set(2),
      )
      return v
    },
  ),
  chorus(
    'else-if without else leaves the variable',
    12,
    (i) => (i < 2 ? 1 : i < 4 ? 2 : 99),
    (i, k) => {
      const v = k.var('v', u32(99))
      k.if(i.lt(2), () => v.set(1)).elseIf(i.lt(4), () => v.set(2))
      return v
    },
  ),
  chorus(
    'nested ifs',
    32,
    (i) => (i & 1 ? (i & 2 ? (i & 4 ? 7 : 3) : 1) : i & 2 ? 2 : 0),
    (i, k) => {
      const v = k.var('v', u32(0))
      k.if(
        i.bitAnd(1).eq(1),
        () => {
          k.if(
            i.bitAnd(2).eq(2),
            () => {
              k.if(
                i.bitAnd(4).eq(4),
                () => v.set(7),
                () => v.set(3),
              )
            },
            () => v.set(1),
          )
        },
        () => {
          k.if(i.bitAnd(2).eq(2), () => v.set(2))
        },
      )
      return v
    },
  ),
  story('if of a constant', [1, 3], ({ k, put }) => {
    const v = k.var('v', u32(0))
    k.if(
      bool(true),
      () => v.set(1),
      () => v.set(2),
    )
    put(v)
    k.if(bool(false), () => v.set(4)).else(() => v.set(3))
    put(v)
  }),
  chorus(
    'fifty ifs deep',
    60,
    (i) => Math.min(i, 50),
    (i, k) => {
      const v = k.var('v', u32(0))
      const nest = (level: number): void => {
        if (level <= 50) {
          k.if(i.ge(level), () => {
            v.set(level)
            nest(level + 1)
          })
        }
      }
      nest(1)
      return v
    },
  ),
  chorus(
    'short circuit of and and or',
    16,
    (i) => ((i < 4 && i % 2 === 0) || i > 12 ? 1 : 0),
    (i) => {
      return u32(i.lt(4).and(i.rem(2).eq(0)).or(i.gt(12)))
    },
  ),
  chorus(
    'switch with several selectors and default',
    20,
    (i) => (i === 0 ? 100 : i <= 3 ? 200 : i === 7 ? 300 : 400),
    (i, k) => {
      const v = k.var('v', u32(0))
      k.switch(i, (s) => {
        s.case(0, () => v.set(100))
        s.case([1, 2, 3], () => v.set(200))
        s.case(7, () => v.set(300))
        s.default(() => v.set(400))
      })
      return v
    },
  ),
  chorus(
    'switch without default',
    8,
    (i) => (i === 2 ? 5 : 1),
    (i, k) => {
      const v = k.var('v', u32(1))
      k.switch(i, (s) => s.case(2, () => v.set(5)))
      return v
    },
  ),
  chorus(
    'default before cases',
    8,
    (i) => (i === 2 ? 5 : i === 3 ? 6 : 9),
    (i, k) => {
      const v = k.var('v', u32(1))
      k.switch(i, (s) => {
        s.default(() => v.set(9))
        s.case(2, () => v.set(5))
        s.case(3, () => v.set(6))
      })
      return v
    },
  ),
  story('switch on i32 with negative selectors', [1, 2, 3, 4], ({ k, i, put }) => {
    const v = k.var('v', u32(0))
    for (const [selector, to] of [
      [-1, 1],
      [-2147483648, 2],
      [2147483647, 3],
      [5, 4],
    ] as const) {
      const given = selector < 0 ? i(0).add(selector) : i(0).add(selector)
      k.switch(given, (s) => {
        s.case(-1, () => v.set(1))
        s.case(-2147483648, () => v.set(2))
        s.case(2147483647, () => v.set(3))
        s.default(() => v.set(to))
      })
      put(v)
    }
  }),
  chorus(
    'switch with only a default',
    4,
    () => 6,
    (i, k) => {
      const v = k.var('v', u32(1))
      k.switch(i, (s) => s.default(() => v.set(6)))
      return v
    },
  ),
  chorus(
    'break in a case leaves the switch',
    8,
    (i) => (i < 2 ? 1 : i === 2 ? 11 : 21),
    (i, k) => {
      const v = k.var('v', u32(1))
      k.switch(i.div(2), (s) => {
        s.case(1, () => {
          v.set(11)
          k.if(i.eq(2), () => k.break())
          v.set(21)
        })
        s.case([2, 3], () => v.set(21))
      })
      return v
    },
  ),
  chorus(
    'nested switches',
    12,
    (i) =>
      [
        [1, 2, 3, 4],
        [5, 6, 6, 6],
        [9, 9, 9, 9],
      ][Math.floor(i / 4)]![i % 4]!,
    (i, k) => {
      const v = k.var('v', u32(9))
      k.switch(i.div(4), (s) => {
        s.case(0, () =>
          k.switch(i.rem(4), (t) => {
            for (let c = 0; c < 4; c++) t.case(c, () => v.set(c + 1))
          }),
        )
        s.case(1, () =>
          k.switch(i.rem(4), (t) => {
            t.case(0, () => v.set(5))
            t.default(() => v.set(6))
          }),
        )
      })
      return v
    },
  ),
  chorus(
    'select evaluates both, by lane',
    8,
    (i) => (i % 2 ? i + 100 : i),
    (i) => fn.select(i, i.add(100), i.rem(2).eq(1)),
  ),
]
