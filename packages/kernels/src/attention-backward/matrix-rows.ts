import { bitcast, ceilDiv, d, type Expr, fn, inout, input, kernel, output, u32, vec2f, vec4f } from '@weft/dsl'

const INVOCATIONS = 256

/**
 * What `matrix.ts` needs of the rows of attention: (lse, δ) with δ = Σ dout · out, as `rows.ts`, and the bits of the greatest |dout| of all.
 *
 *     out, dout: [rows, head_size] f16   lse: [rows] of the forward   stats: [rows]      largest: [1], 0 before
 *
 * As many lanes share a row as it has times eight elements.
 */
export const backwardMatrixRowsOf = (name: string, headSize: number) => {
  const units = headSize / 8
  const rowsEach = INVOCATIONS / units
  return kernel(
    name,
    {
      doc: `stats[row] = (lse[row], the sum of dout · out), and the greatest |dout|; head size ${headSize}`,
      workgroupSize: [INVOCATIONS],
      bindings: {
        out: input(d.arrayOf(d.vec4u)),
        dout: input(d.arrayOf(d.vec4u)),
        lse: input(d.arrayOf(d.f32)),
        stats: output(d.arrayOf(d.vec2f)),
        largest: inout(d.arrayOf(d.atomic(d.u32))),
      },
      params: { rows: d.u32 },
      workgroups: ({ rows }) => [ceilDiv(rows, rowsEach)],
      variants: { subgroups: ['subgroups', 'subgroup-id'] },
    },
    ({ out, dout, lse, stats, largest, rows }, k) => {
      const i = k.let('i', u32`${k.subgroupId} * ${k.subgroupSize} + ${k.subgroupInvocationId}`)
      const { lane, own } = k.let({ lane: i.rem(units), own: u32`${k.workgroupIndex} * ${rowsEach} + ${i} / ${units}` })
      const row = k.let('row', fn.min(own, rows.sub(1)))
      const at = k.let('at', row.mul(units).add(lane))
      const [a, b] = [quadsOf(k.let('outs', out.at(at))), quadsOf(k.let('gradients', dout.at(at)))]
      let delta: Expr<'f32'> = k.let('delta', fn.dot(a[0], b[0]).add(fn.dot(a[1], b[1])))
      for (let mask = 1; mask < units; mask *= 2) delta = k.let('delta', delta.add(k.subgroupShuffleXor(delta, mask)))
      k.if(lane.eq(0).and(own.lt(rows)), () => stats.at(own).set(vec2f(lse.at(own), delta)))
      const sizes = k.let('sizes', fn.max(fn.abs(b[0]), fn.abs(b[1])))
      const size = fn.max(fn.max(sizes.x, sizes.y), fn.max(sizes.z, sizes.w))
      // numbers from 0 on are in the order of their bits
      const most = k.let('most', bitcast(u32, k.subgroupMax(size)))
      const place = largest.at(0)
      k.if(k.subgroupInvocationId.eq(0).and(most.gt(place.load())), () => place.max(most))
    },
  )
}

const quadsOf = (bits: Expr<'vec4u'>): readonly [Expr<'vec4f'>, Expr<'vec4f'>] => [
  vec4f(fn.unpack2x16float(bits.x), fn.unpack2x16float(bits.y)),
  vec4f(fn.unpack2x16float(bits.z), fn.unpack2x16float(bits.w)),
]

export const backwardMatrixRows = [64, 128].map((headSize) =>
  backwardMatrixRowsOf(`attention_backward_matrix_rows_${headSize}_f16`, headSize),
)
