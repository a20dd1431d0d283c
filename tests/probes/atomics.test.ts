import { d, inout, input, kernel, output, u32 } from '@weft/dsl'
import { EFFECTS, type EffectRow } from '@weft/dsl/ir'
import type { ParityCase } from '../parity/case.js'
import { paritySuite } from '../parity/harness.js'
import { combinations, VALUES } from './values.js'

/** The method of each atomic that takes one value, and what it leaves. */
const UPDATES: Readonly<Record<string, readonly [method: string, of: (old: number, value: number) => number]>> = {
  atomicAdd: ['add', (a, b) => a + b], atomicSub: ['sub', (a, b) => a - b], atomicMax: ['max', Math.max], atomicMin: ['min', Math.min],
  atomicAnd: ['and', (a, b) => a & b], atomicOr: ['or', (a, b) => a | b], atomicXor: ['xor', (a, b) => a ^ b], atomicExchange: ['exchange', (_, b) => b],
}

type Cell = { readonly [method: string]: (...args: readonly unknown[]) => ReturnType<typeof u32> }

/** Every pair of an old value and an argument, each on a cell of its own: what is left, and what is given back. */
function probe(op: string, type: 'i32' | 'u32'): ParityCase {
  const pairs = combinations([VALUES[type], VALUES[type]]) as [number, number][]
  const data = (of: (pair: [number, number]) => number): Int32Array | Uint32Array => (type === 'i32' ? Int32Array : Uint32Array).from(pairs, of)
  const cell = type === 'i32' ? d.atomic(d.i32) : d.atomic(d.u32)
  const scalar = type === 'i32' ? d.i32 : d.u32
  const update = UPDATES[op]
  const source = kernel('atomic_probe', {
    workgroupSize: [64], workgroups: ({ m }) => [m.length.ceilDiv(64)],
    bindings: { m: inout(d.arrayOf(cell as ReturnType<typeof d.atomic>)), x: input(d.arrayOf(scalar as typeof d.u32)), old: output(d.arrayOf(scalar as typeof d.u32)) },
  }, ({ m, x, old }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(x.length), () => {
      const target = m.at(i) as unknown as Cell
      if (op === 'atomicLoad') old.at(i).set(target.load!())
      else if (op === 'atomicStore') {
        target.store!(x.at(i))
        old.at(i).set(x.at(i))
      } else old.at(i).set(target[(update as readonly [string])[0]]!(x.at(i)))
    })
  })
  const left = op === 'atomicLoad' ? ([a]: [number, number]) => a : op === 'atomicStore' ? ([, b]: [number, number]) => b : ([a, b]: [number, number]) => update![1](a, b)
  return {
    name: `${op} ${type}`, kernel: source,
    bindings: { m: data(([a]) => a), x: data(([, b]) => b), old: new Uint8Array(4 * pairs.length).fill(0xa5) },
    expect: { m: data(left), old: data(([a, b]) => (op === 'atomicStore' ? b : a)) },
  }
}

const rows = Object.entries(EFFECTS as Readonly<Record<string, EffectRow>>).filter(([op, row]) => row.family === 'atomic' && op !== 'atomicCompareExchangeWeak')

// compareExchangeWeak is in the cases of parity: it may fail spuriously, so it is probed in a loop
await paritySuite('atomic operations', rows.flatMap(([op, row]) => row.over.map((type) => probe(op, type as 'i32' | 'u32'))))
