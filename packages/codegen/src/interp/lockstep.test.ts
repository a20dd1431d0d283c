import { d, f32, func, inout, input, kernel, output, ptr, u32, WeftError } from '@weft/dsl'
import { expect, test } from 'vitest'
import { prepare } from './index'
import { floats, run, words } from './testing/run'

const U = d.arrayOf(d.u32)

test('a reduction over the workgroup', () => {
  const k = kernel('k', { workgroupSize: [8, 4, 2], bindings: { x: input(U), y: output(U) } }, ({ x, y }, k) => {
    const partial = k.workgroup('partial', u32, 64)
    const i = k.localIndex
    partial.at(i).set(x.at(k.globalIndex))
    k.workgroupBarrier()
    for (let half = 32; half >= 1; half /= 2) {
      k.if(i.lt(half), () => partial.at(i).addAssign(partial.at(i.add(half))))
      k.workgroupBarrier()
    }
    y.at(k.globalIndex).set(partial.at(0).add(k.localId.x).add(k.localId.y.mul(100)).add(k.localId.z.mul(10000)))
  })
  const y = words(128)
  run(k, { x: words(128, (i) => i), y }, { workgroups: [2] })
  const sum = (from: number) => Array.from({ length: 64 }, (_, i) => from + i).reduce((a, b) => a + b)
  const id = (i: number) => (i % 8) + (Math.floor(i / 8) % 4) * 100 + Math.floor(i / 32) * 10000
  expect([...y]).toEqual([...y].map((_, i) => sum(i < 64 ? 0 : 64) + id(i % 64)))
})

/** Rotates what the workgroup holds by one place in each round. */
const rotated = (n: number, size: number) => Array.from({ length: size }, (_, i) => (i + n) % size)

test('barriers in a range with uniform bounds; variables and results live across them', () => {
  const k = kernel('k', { workgroupSize: [16], bindings: { y: output(U) }, params: { n: d.u32 } }, ({ y, n }, k) => {
    const tile = k.workgroup('tile', u32, 16)
    const i = k.localIndex
    const mine = k.var('mine', i)
    const next = k.let('next', i.add(1).rem(16))
    k.range('r', n, () => {
      tile.at(i).set(mine)
      k.workgroupBarrier()
      mine.set(tile.at(next))
      k.workgroupBarrier()
    })
    y.at(i).set(mine)
  })
  const y = words(16)
  run(k, { y }, { params: { n: 5 } })
  expect([...y]).toEqual(rotated(5, 16))
})

test('barriers in loops over a variable, with uniform break and continue', () => {
  const k = kernel('k', { workgroupSize: [8], bindings: { y: output(U) }, params: { n: d.u32 } }, ({ y, n }, k) => {
    const tile = k.workgroup('tile', u32, 8)
    const i = k.localIndex
    const mine = k.var('mine', i)
    const r = k.var('r', u32(0))
    k.loop(
      () => {
        k.if(r.ge(n), () => k.break())
        k.if(r.eq(1), () => k.continue())
        tile.at(i).set(mine)
        k.workgroupBarrier()
        mine.set(tile.at(i.add(1).rem(8)))
        k.workgroupBarrier()
      },
      () => {
        r.addAssign(1)
      },
    )
    y.at(i).set(mine)
  })
  const y = words(8)
  run(k, { y }, { params: { n: 4 } })
  expect([...y]).toEqual(rotated(3, 8))
})

test('barriers in flow that the analysis cannot prove uniform, but is', () => {
  const k = kernel('k', { workgroupSize: [8], bindings: { y: inout(U) } }, ({ y }, k) => {
    const tile = k.workgroup('tile', u32, 8)
    const i = k.localIndex
    const rounds = k.let('rounds', y.at(8))
    const r = k.var('r', u32(0))
    k.while(
      () => r.lt(rounds),
      () => {
        tile.at(i).set(r.mul(10).add(i))
        k.workgroupBarrier()
        y.at(i).addAssign(tile.at(u32(7).sub(i)))
        k.workgroupBarrier()
        r.addAssign(1)
      },
    )
    k.range('q', rounds, (q) => {
      k.workgroupBarrier()
      y.at(i).addAssign(q)
    })
  })
  const y = words(9, (i) => (i === 8 ? 3 : 0))
  run(k, { y })
  expect([...y.subarray(0, 8)]).toEqual(Array.from({ length: 8 }, (_, i) => 3 * (7 - i) + 30 + 3))
})

function divergence(build: () => void): WeftError {
  try {
    build()
  } catch (error) {
    if (error instanceof WeftError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('a barrier in divergent flow is an error with the number of its statement', () => {
  const k = kernel('k', { workgroupSize: [8], bindings: { y: output(U) } }, ({ y }, k) => {
    k.if(k.localIndex.lt(4), () => {
      k.workgroupBarrier()
      y.at(k.localIndex).set(1)
    })
  })
  const error = divergence(() => run(k, { y: words(8) }))
  expect(error.code).toBe('divergent-barrier')
  const at = error.diagnostics[0]?.at ?? -1
  expect(k.positions()[at]?.file).toContain('lockstep.test')
})

test('a barrier after a divergent return, break or trip count is an error', () => {
  const returning = kernel('k', { workgroupSize: [8], bindings: { y: output(U) } }, ({ y }, k) => {
    k.if(k.localIndex.eq(3), () => k.return())
    k.workgroupBarrier()
    y.at(k.localIndex).set(1)
  })
  const breaking = kernel('k', { workgroupSize: [8], bindings: { y: output(U) } }, ({ y }, k) => {
    k.range('i', 3, (i) => {
      k.if(k.localIndex.eq(i), () => k.break())
      k.workgroupBarrier()
      y.at(k.localIndex).set(1)
    })
  })
  const counting = kernel('k', { workgroupSize: [8], bindings: { y: output(U) } }, ({ y }, k) => {
    k.range('i', k.localIndex, () => {
      k.workgroupBarrier()
      y.at(k.localIndex).set(1)
    })
  })
  for (const k of [returning, breaking, counting]) {
    expect(divergence(() => run(k, { y: words(8) })).code).toBe('divergent-barrier')
  }
})

test('a uniform return before a barrier ends the whole workgroup', () => {
  const k = kernel('k', { workgroupSize: [4], bindings: { y: output(U) } }, ({ y }, k) => {
    const sum = k.workgroup('sum', u32, 4)
    k.if(k.workgroupId.x.eq(1), () => k.return())
    sum.at(k.localIndex).set(k.localIndex)
    k.workgroupBarrier()
    y.at(k.globalIndex).set(sum.at(u32(3).sub(k.localIndex)).add(1))
  })
  const y = words(12)
  run(k, { y }, { workgroups: [3] })
  expect([...y]).toEqual([4, 3, 2, 1, 0, 0, 0, 0, 4, 3, 2, 1])
})

test('functions with barriers, several times, with a pointer to workgroup memory', () => {
  const shift = func('shift(p, x, i)', [ptr('workgroup', d.arrayOf(d.u32, 8)), u32, u32], (p, x, i, k) => {
    p.at(i).set(x)
    k.workgroupBarrier()
    const y = k.let('y', p.at(i.add(1).rem(8)))
    k.workgroupBarrier()
    return y
  })
  const k = kernel('k', { workgroupSize: [8], bindings: { y: output(U) } }, ({ y }, k) => {
    const tile = k.workgroup('tile', d.arrayOf(d.u32, 8))
    const i = k.localIndex
    const once = k.let('once', shift(tile, i, i))
    const again = k.let('again', shift(tile, once, i))
    y.at(i).set(again.add(once.mul(100)))
  })
  const y = words(8)
  run(k, { y })
  expect([...y]).toEqual(rotated(1, 8).map((x, i) => x * 100 + (rotated(2, 8)[i] as number)))
})

test('workgroupUniformLoad gives all the same value and steers barriers', () => {
  const k = kernel('k', { workgroupSize: [8], bindings: { y: output(U) } }, ({ y }, k) => {
    const n = k.workgroup('n', d.arrayOf(d.u32, 1))
    k.if(k.localIndex.eq(5), () => n.at(0).set(k.localIndex.sub(2)))
    const rounds = k.workgroupUniformLoad(n.at(0))
    k.range('i', rounds, (i) => {
      k.workgroupBarrier()
      y.at(k.localIndex).set(i.add(rounds.mul(10)))
    })
  })
  const y = words(8)
  run(k, { y })
  expect([...y]).toEqual(new Array(8).fill(32))
})

test('workgroup memory is zero for each workgroup, and 2-d tiles keep apart', () => {
  const k = kernel(
    'k',
    { workgroupSize: [4, 4], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) } },
    ({ x, y }, k) => {
      const tile = k.workgroup('tile', f32, 4, 5)
      const { x: c, y: r } = { x: k.localId.x, y: k.localId.y }
      tile.at(r, c).addAssign(x.at(r.mul(4).add(c)))
      k.workgroupBarrier()
      y.at(k.workgroupIndex.mul(16).add(r.mul(4)).add(c)).set(tile.at(c, r))
    },
  )
  const x = floats(16, (i) => i)
  const y = floats(32)
  run(k, { x, y }, { workgroups: [2] })
  const transposed = Array.from({ length: 16 }, (_, i) => (i % 4) * 4 + Math.floor(i / 4))
  expect([...y]).toEqual([...transposed, ...transposed])
})

test('arrays of an invocation live across barriers', () => {
  const k = kernel('k', { workgroupSize: [4], bindings: { y: output(U) } }, ({ y }, k) => {
    const list = k.var('list', d.arrayOf(d.u32, 3))
    const i = k.localIndex
    k.range('j', 3, (j) => list.at(j).set(i.mul(10).add(j)))
    k.workgroupBarrier()
    k.range('j', 3, (j) => y.at(i.mul(3).add(j)).set(list.at(u32(2).sub(j))))
  })
  const y = words(12)
  run(k, { y })
  expect([...y]).toEqual([2, 1, 0, 12, 11, 10, 22, 21, 20, 32, 31, 30])
})

test('a run that failed leaves nothing behind, and the same kernel gives the same JavaScript', () => {
  const k = kernel('k', { workgroupSize: [4], bindings: { n: input(U), y: output(U) } }, ({ n, y }, k) => {
    const tile = k.workgroup('tile', u32, 4)
    const i = k.localIndex
    tile.at(i).addAssign(i.add(1))
    k.range('r', n.at(i), () => k.workgroupBarrier())
    y.at(i).set(tile.at(u32(3).sub(i)))
  })
  const y = words(4)
  expect(divergence(() => run(k, { n: words(4, (i) => i), y })).code).toBe('divergent-barrier')
  expect([...y]).toEqual([0, 0, 0, 0])
  run(k, { n: words(4, () => 2), y })
  expect([...y]).toEqual([4, 3, 2, 1])
  expect(prepare({ ...k.ir() }).source).toBe(prepare(k.ir()).source)
})
