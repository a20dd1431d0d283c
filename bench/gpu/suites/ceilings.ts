// What the hardware does at most, through WGSL: a copy of 1 GiB, and multiply-adds that depend on nothing but themselves.

import { compile } from '@weft/codegen'
import { ceilDiv, d, each, fn, input, kernel, output, tuple, vec4f } from '@weft/dsl'
import type { Contest } from '../contest'
import { kernels, step } from '../entries'
import { SMALL } from '../small'
import { valueAt } from '../values'

const GROUP = 256

const copy = kernel(
  'copy',
  {
    workgroupSize: [GROUP],
    bindings: { x: input(d.arrayOf(d.vec4f)), y: output(d.arrayOf(d.vec4f)) },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, GROUP)],
  },
  ({ x, y, n }, k) => {
    const i = k.globalIndex
    k.if(i.lt(n), () => y.at(i).set(x.at(i)))
  },
)

/** Steps of eight chains of vec4f: 8 · 4 multiply-adds each. */
const STEPS = 512
const CHAINS = 8

const chains = kernel(
  'fma_chains',
  {
    workgroupSize: [GROUP],
    bindings: { y: output(d.arrayOf(d.vec4f)) },
    params: { n: d.u32, a: d.f32, b: d.f32 },
    workgroups: ({ n }) => [ceilDiv(n, GROUP)],
  },
  ({ y, n, a, b }, k) => {
    const i = k.globalIndex
    const acc = tuple(CHAINS, (j) => k.var(`acc${j}`, vec4f(j)))
    const { scale, offset } = k.let({ scale: vec4f(a), offset: vec4f(b) })
    k.range('s', 0, STEPS, () => {
      for (const j of each(CHAINS)) acc[j].set(fn.fma(acc[j], scale, offset))
    })
    const sum = acc.reduce((s, x) => s.add(x), vec4f(0))
    k.if(i.lt(n), () => y.at(i).set(sum))
  },
)

const COPIED = SMALL ? 2 ** 16 : 2 ** 28
const THREADS = SMALL ? 2 ** 10 : 2 ** 22

/** The sum that every lane of `fma_chains` ends with, in f64; its steps are contractions, so f32 stays near. */
function chained(a: number, b: number): number {
  let sum = 0
  for (let j = 0; j < CHAINS; j++) {
    let x = j
    for (let s = 0; s < STEPS; s++) x = x * a + b
    sum += x
  }
  return sum
}

export const contests: readonly Contest[] = [
  {
    name: 'copy f32',
    kind: 'copy',
    dtype: 'f32',
    shape: { n: COPIED },
    work: { bytes: 8 * COPIED },
    inputs: { x: { type: 'f32', length: COPIED, seed: 1 } },
    outputs: { y: { type: 'f32', length: COPIED } },
    check: async (read) => {
      const x = { type: 'f32', length: COPIED, seed: 1 } as const
      const first = COPIED - 1000
      const got = await read('y', first, 1000)
      return Array.from(got).every((value, i) => value === valueAt(x, first + i)) ? 0 : 2
    },
    entries: [kernels('WGSL copy', () => [step(compile(copy), ({ x, y }) => ({ x: x!, y: y!, n: COPIED / 4 }))])],
  },
  {
    name: 'multiply-add f32',
    dtype: 'f32',
    work: { operations: 2 * 4 * CHAINS * STEPS * THREADS },
    inputs: {},
    outputs: { y: { type: 'f32', length: 4 * THREADS } },
    check: async (read) => {
      const want = chained(0.5, 0.75)
      const got = await read('y', 4 * THREADS - 64, 64)
      return Math.max(...Array.from(got, (value) => Math.abs(value - want) / (1e-5 * want)))
    },
    entries: [
      kernels('WGSL multiply-add', () => [step(compile(chains), ({ y }) => ({ y: y!, n: THREADS, a: 0.5, b: 0.75 }))]),
    ],
  },
]
