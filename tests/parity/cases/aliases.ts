import { ceilDiv, d, input, kernel, output } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { f32of, f32s, partly } from '../data.js'

const scale = kernel(
  'scale_in_place',
  {
    workgroupSize: [8],
    bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, 8)],
    aliases: [['x', 'y']],
  },
  ({ x, y, n }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(2).add(1)))
  },
)

/** Declared aliases: two buffers, and one buffer under both names. */
export const aliases: readonly ParityCase[] = [
  {
    name: 'alias: two buffers',
    kernel: scale,
    params: { n: 10 },
    bindings: { x: f32of(10, (i) => i), y: partly(12, f32s()) },
    expect: {
      y: partly(
        12,
        f32of(10, (i) => 2 * i + 1),
      ),
    },
  },
  {
    name: 'alias: in place',
    kernel: scale,
    params: { n: 10 },
    alias: ['x', 'y'],
    bindings: { y: f32of(12, (i) => i) },
    expect: { y: f32of(12, (i) => (i < 10 ? 2 * i + 1 : i)) },
  },
]
