import { ceilDiv, d, type Expr, inout, input, kernel, output } from '@weft/dsl'
import { EFFECTS, type EffectRow } from '@weft/dsl/ir'
import type { ParityCase } from '../parity/case.js'
import { paritySuite } from '../parity/harness.js'
import { combinations, VALUES } from './values.js'

/** The method of each atomic that takes one value, and what it leaves. */
const UPDATES: Readonly<Record<string, readonly [method: string, of: (old: number, value: number) => number]>> = {
  atomicAdd: ['add', (a, b) => a + b],
  atomicSub: ['sub', (a, b) => a - b],
  atomicMax: ['max', (a, b) => Math.max(a, b)],
  atomicMin: ['min', (a, b) => Math.min(a, b)],
  atomicAnd: ['and', (a, b) => a & b],
  atomicOr: ['or', (a, b) => a | b],
  atomicXor: ['xor', (a, b) => a ^ b],
  atomicExchange: ['exchange', (_, b) => b],
}

/** An atomic of either type, by the names of its methods. */
type Cell = { readonly [method: string]: (...args: readonly unknown[]) => Expr<'u32'> }

const call = (cell: Cell, method: string, ...args: readonly unknown[]): Expr<'u32'> =>
  (cell[method] as Cell[string]).call(cell, ...args)

const STORED = 'atomicStore'
const LOADED = 'atomicLoad'

/** What an operation leaves in a cell of `a`, given `b`. */
function left(op: string, a: number, b: number): number {
  if (op === LOADED) return a
  return op === STORED ? b : ((UPDATES[op]?.[1](a, b) ?? Number.NaN) as number)
}

/** Every pair of an old value and an argument, each on a cell of its own: what is left, and what is given back. */
function probe(op: string, type: 'i32' | 'u32'): ParityCase {
  const pairs = combinations([VALUES[type], VALUES[type]]) as [number, number][]
  const data = (of: (a: number, b: number) => number): Int32Array | Uint32Array =>
    (type === 'i32' ? Int32Array : Uint32Array).from(pairs.map(([a, b]) => of(a, b)))
  // the types of u32 stand for those of i32, too
  const scalar = (type === 'i32' ? d.i32 : d.u32) as typeof d.u32
  const source = kernel(
    'atomic_probe',
    {
      workgroupSize: [64],
      workgroups: ({ x }) => [ceilDiv(x.length, 64)],
      bindings: { m: inout(d.arrayOf(d.atomic(scalar))), x: input(d.arrayOf(scalar)), old: output(d.arrayOf(scalar)) },
    },
    ({ m, x, old }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(x.length), () => {
        const cell = m.at(i) as unknown as Cell
        if (op === LOADED) old.at(i).set(call(cell, 'load'))
        else if (op === STORED) {
          call(cell, 'store', x.at(i))
          old.at(i).set(x.at(i))
        } else old.at(i).set(call(cell, UPDATES[op]?.[0] ?? '', x.at(i)))
      })
    },
  )
  return {
    name: `${op} ${type}`,
    kernel: source,
    bindings: { m: data((a) => a), x: data((_, b) => b), old: new Uint8Array(4 * pairs.length).fill(0xa5) },
    expect: { m: data((a, b) => left(op, a, b)), old: data((a, b) => (op === STORED ? b : a)) },
  }
}

const rows = Object.entries(EFFECTS as Readonly<Record<string, EffectRow>>).filter(
  ([op, row]) => row.family === 'atomic' && op !== 'atomicCompareExchangeWeak',
)

// compareExchangeWeak is in the cases of parity: it may fail spuriously, so it is probed in a loop
await paritySuite(
  'atomic operations',
  rows.flatMap(([op, row]) => row.over.map((type) => probe(op, type as 'i32' | 'u32'))),
)
