import { d, func, kernel, output, u32 } from '@weft/dsl'
import { partly, u32s } from '../data.js'
import { chorus, story } from './story.js'

const early = func('early(a)', [u32], (a, k) => {
  k.if(a.gt(10), () => k.return(u32(1)))
  k.range('i', a, (i) => {
    k.if(i.eq(3), () => k.return(u32(2)))
  })
  return u32(3)
})

const fromSwitch = func('from_switch(a)', [u32], (a, k) => {
  k.switch(a, (s) => {
    s.case(1, () => k.return(u32(10)))
    s.case(2, () => k.loop(() => k.return(u32(20))))
    s.default(() => {})
  })
  return u32(30)
})

const onlyIn = func('only_in(a)', [u32], (a, k) => {
  k.if(
    a.lt(5),
    () => k.return(a.add(100)),
    () => k.return(a.add(200)),
  )
  return u32(0)
})

/** break, continue, return, in every place where they may stand. */
export const jumps = [
  story('break and continue in a range', [0 + 1 + 3 + 4], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(10), (i) => {
      k.if(i.eq(2), () => k.continue())
      k.if(i.eq(5), () => k.break())
      total.addAssign(i)
    })
    put(total)
  }),
  story('break in a while', [4], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    k.while(
      () => v.lt(100),
      () => {
        v.addAssign(1)
        k.if(v.eq(n(4)), () => k.break())
      },
    )
    put(v)
  }),
  story('continue in a for runs the update', [0 + 2 + 4 + 6], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.for(
      'i',
      u32(0),
      (i) => i.lt(n(8)),
      (i) => i.add(1),
      (i) => {
        k.if(i.rem(2).eq(1), () => k.continue())
        total.addAssign(i)
      },
    )
    put(total)
  }),
  story('break leaves the inner loop only', [3 * 2], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(3), () =>
      k.range('j', n(5), (j) => {
        k.if(j.eq(2), () => k.break())
        total.addAssign(1)
      }),
    )
    put(total)
  }),
  story('continue of an outer loop through a switch', [1 + 3 + 4], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(5), (i) => {
      k.switch(i, (s) => {
        s.case([0, 2], () => k.continue())
        s.default(() => {})
      })
      total.addAssign(i)
    })
    put(total)
  }),
  story('break of a switch in a loop goes on with the loop', [10 + 1 + 2 + 3], ({ k, put, n }) => {
    const total = k.var('total', u32(0))
    k.range('i', n(4), (i) => {
      k.switch(i, (s) => {
        s.case(0, () => {
          total.addAssign(10)
          k.if(i.eq(0), () => k.break())
          total.addAssign(100)
        })
        s.default(() => {})
      })
      total.addAssign(i)
    })
    put(total)
  }),
  story('a break as the last statement', [1], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    k.range('i', n(9), () => {
      v.addAssign(1)
      k.break()
    })
    put(v)
  }),
  story('break in both branches', [1], ({ k, put, n }) => {
    const v = k.var('v', u32(0))
    k.loop(() => {
      v.addAssign(1)
      k.if(
        v.gt(n(3)),
        () => k.break(),
        () => k.break(),
      )
    })
    put(v)
  }),
  chorus(
    'return from a function, early and in a loop',
    14,
    (i) => (i > 10 ? 1 : i > 3 ? 2 : 3),
    (i) => early(i),
  ),
  chorus(
    'return from a switch in a function',
    4,
    (i) => [30, 10, 20, 30][i]!,
    (i) => fromSwitch(i),
  ),
  chorus(
    'return in both branches',
    10,
    (i) => i + (i < 5 ? 100 : 200),
    (i) => onlyIn(i),
  ),
  {
    name: 'return from the kernel',
    kernel: kernel(
      'early_return',
      {
        workgroupSize: [4],
        bindings: { out: output(d.arrayOf(d.u32), { writes: 'partial' }) },
        workgroups: () => [2],
        guards: 'off',
      },
      ({ out }, k) => {
        const i = k.globalIndex
        k.if(i.ge(5), () => k.return())
        out.at(i).set(i.add(1))
      },
    ),
    bindings: { out: partly(8, new Uint32Array()) },
    expect: { out: partly(8, u32s(1, 2, 3, 4, 5)) },
  },
  {
    name: 'return from within loops of the kernel',
    kernel: kernel(
      'return_in_loop',
      {
        workgroupSize: [4],
        bindings: { out: output(d.arrayOf(d.u32), { writes: 'partial' }) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ out }, k) => {
        const i = k.globalIndex
        k.range('a', 4, (a) =>
          k.range('b', 4, (b) => {
            k.if(a.mul(4).add(b).eq(i.mul(3)), () => {
              out.at(i).set(a.mul(10).add(b))
              k.return()
            })
          }),
        )
        out.at(i).set(99)
      },
    ),
    bindings: { out: partly(6, new Uint32Array()) },
    expect: { out: partly(6, u32s(0, 3, 12, 21)) },
  },
  chorus(
    'continue in nested loops',
    6,
    (i) => {
      let total = 0
      for (let a = 0; a < i; a++) for (let b = 0; b < 4; b++) if ((a + b) % 3 !== 0) total += a * b
      return total
    },
    (i, k) => {
      const total = k.var('total', u32(0))
      k.range('a', i, (a) =>
        k.range('b', 4, (b) => {
          k.if(a.add(b).rem(3).eq(0), () => k.continue())
          total.addAssign(a.mul(b))
        }),
      )
      return total
    },
  ),
]
