import { ceilDiv, d, inout, input, kernel } from '@weft/dsl'

/** y[i] = alpha · x[i] + y[i], for i < n. */
export const saxpy = kernel(
  'saxpy',
  {
    workgroupSize: [64],
    bindings: { x: input(d.arrayOf(d.f32)), y: inout(d.arrayOf(d.f32)) },
    params: { n: d.u32, alpha: d.f32 },
    workgroups: ({ n }) => [ceilDiv(n, 64)],
  },
  ({ x, y, n, alpha }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => y.at(i).addAssign(alpha.mul(x.at(i))))
  },
)
