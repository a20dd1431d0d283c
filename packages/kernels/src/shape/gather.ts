import { bitcast, ceilDiv, d, f32, inout, input, kernel, output, u32 } from '@weft/dsl'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * Reading and adding by index along one axis. Arrays are seen as [outer, axis, inner]: the axes before the indexed one are
 * joined to `outer`, those after it to `inner`. An index outside of the axis reads 0 and adds nothing, by the numerics policy.
 */

const params = { outer: d.u32, size: d.u32, count: d.u32, inner: d.u32 } as const

/** The arrays of both kernels that read by an index. */
const arrays = (storage: Storage) => ({
  x: input(scalars(storage)),
  index: input(d.arrayOf(d.u32)),
  out: output(scalars(storage)),
})

/**
 * out[o, j, c] = x[o, index[j], c]: rows by their numbers, as an embedding looks them up (outer = 1).
 * x: [outer, size, inner], index: [count], out: [outer, count, inner].
 */
const indexSelectOf = (storage: Storage) =>
  kernel(
    named('index_select', storage),
    {
      doc: 'out[o, j, c] = x[o, index[j], c]; 0 where index[j] is not below size',
      workgroupSize: [256],
      bindings: arrays(storage),
      params,
      workgroups: ({ outer, count, inner }) => [ceilDiv(outer.mul(count).mul(inner), 256)],
    },
    ({ x, index, out, outer, size, count, inner }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${outer} * ${count} * ${inner}`), () => {
        const { c, row } = k.let({ c: i.rem(inner), row: i.div(inner) })
        const { o, id } = k.let({ o: row.div(count), id: index.at(row.rem(count)) })
        out.at(i).set(
          stored(
            storage,
            k.when(id.lt(size), () => read(x.at(u32`(${o} * ${size} + ${id}) * ${inner} + ${c}`)), 0),
          ),
        )
      })
    },
  )

/**
 * out[o, j, c] = x[o, index[o, j, c], c]: an index of its own for every element.
 * x: [outer, size, inner], index and out: [outer, count, inner].
 */
const gatherOf = (storage: Storage) =>
  kernel(
    named('gather', storage),
    {
      doc: 'out[o, j, c] = x[o, index[o, j, c], c]; 0 where the index is not below size',
      workgroupSize: [256],
      bindings: arrays(storage),
      params,
      workgroups: ({ outer, count, inner }) => [ceilDiv(outer.mul(count).mul(inner), 256)],
    },
    ({ x, index, out, outer, size, count, inner }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${outer} * ${count} * ${inner}`), () => {
        const { c, o, id } = k.let({ c: i.rem(inner), o: i.div(u32`${count} * ${inner}`), id: index.at(i) })
        out.at(i).set(
          stored(
            storage,
            k.when(id.lt(size), () => read(x.at(u32`(${o} * ${size} + ${id}) * ${inner} + ${c}`)), 0),
          ),
        )
      })
    },
  )

export const indexSelect = indexSelectOf('f32')
export const indexSelectHalf = indexSelectOf('f16')
export const gather = gatherOf('f32')
export const gatherHalf = gatherOf('f16')

/**
 * out[o, index[j], c] += x[o, j, c]: the adjoint of index_select, and the gradient of an embedding. WGSL has no atomic
 * addition of floats: a value is exchanged for its sum as often as another invocation was faster. Their order is that of
 * the device, so that results differ in the last bits from run to run; `segment_sum` is the deterministic way.
 *
 * x: [outer, count, inner], index: [count], out: [outer, size, inner] as bits of f32.
 */
export const scatterAdd = kernel(
  'scatter_add',
  {
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.f32)), index: input(d.arrayOf(d.u32)), out: inout(d.arrayOf(d.atomic(d.u32))) },
    params,
    workgroups: ({ outer, count, inner }) => [ceilDiv(outer.mul(count).mul(inner), 256)],
  },
  ({ x, index, out, outer, size, count, inner }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(u32`${outer} * ${count} * ${inner}`), () => {
      const { c, row } = k.let({ c: i.rem(inner), row: i.div(inner) })
      const { o, id } = k.let({ o: row.div(count), id: index.at(row.rem(count)) })
      k.if(id.lt(size), () => {
        const cell = out.at(u32`(${o} * ${size} + ${id}) * ${inner} + ${c}`)
        const added = k.let('added', x.at(i))
        const seen = k.var('seen', cell.load())
        k.loop(() => {
          const sum = bitcast(u32, bitcast(f32, seen).add(added))
          const result = cell.compareExchangeWeak(seen, sum)
          k.if(result.exchanged, () => k.break())
          seen.set(result.old)
        })
      })
    })
  },
)

/**
 * out[s, c] = Σ x[order[j], c] over the j in starts[s] … starts[s + 1] - 1, in that order: the deterministic scatter-add.
 * `order` is a permutation of the rows of x that sorts them by their target, `starts` where each target begins in it
 * (segments + 1 of them).
 *
 * x: [rows, inner], order: [rows], starts: [segments + 1], out: [segments, inner].
 */
export const segmentSum = kernel(
  'segment_sum',
  {
    workgroupSize: [256],
    bindings: {
      x: input(d.arrayOf(d.f32)),
      order: input(d.arrayOf(d.u32)),
      starts: input(d.arrayOf(d.u32)),
      out: output(d.arrayOf(d.f32)),
    },
    params: { segments: d.u32, inner: d.u32 },
    workgroups: ({ segments, inner }) => [ceilDiv(segments.mul(inner), 256)],
  },
  ({ x, order, starts, out, segments, inner }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(segments.mul(inner)), () => {
      const { segment, c } = k.let({ segment: i.div(inner), c: i.rem(inner) })
      const sum = k.var('sum', f32(0))
      k.range('j', starts.at(segment), starts.at(segment.add(1)), (j) =>
        sum.addAssign(x.at(u32`${order.at(j)} * ${inner} + ${c}`)),
      )
      out.at(i).set(sum)
    })
  },
)

/**
 * The same rows, each in every output: starts[s] is the number of sorted ids below s, by binary search.
 * ids: [rows], ascending. starts: [segments + 1].
 */
export const segmentStarts = kernel(
  'segment_starts',
  {
    doc: 'starts[s] = the number of ids below s, of ids in ascending order',
    workgroupSize: [256],
    bindings: { ids: input(d.arrayOf(d.u32)), starts: output(d.arrayOf(d.u32)) },
    params: { rows: d.u32, segments: d.u32 },
    workgroups: ({ segments }) => [ceilDiv(segments.add(1), 256)],
  },
  ({ ids, starts, rows, segments }, k) => {
    const s = k.let('s', k.globalIndex)
    k.if(s.le(segments), () => {
      const { low, high } = k.var({ low: u32(0), high: rows })
      k.while(
        () => low.lt(high),
        () => {
          const middle = k.let('middle', u32`${low} + (${high} - ${low}) / 2`)
          k.if(ids.at(middle).lt(s), () => low.set(middle.add(1))).else(() => high.set(middle))
        },
      )
      starts.at(s).set(low)
    })
  },
)
