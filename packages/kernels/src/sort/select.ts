import { ceilDiv, d, fn, inout, input, kernel, output, u32 } from '@weft/dsl'

/** Counting by value, and keeping some elements. */

/** counts[ids[i]] += 1 for every i; an id that is not below bins counts nothing. counts start from what they hold. */
export const histogram = kernel(
  'histogram',
  {
    workgroupSize: [256],
    bindings: { ids: input(d.arrayOf(d.u32)), counts: inout(d.arrayOf(d.atomic(d.u32))) },
    params: { n: d.u32, bins: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, 256)],
  },
  ({ ids, counts, n, bins }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => {
      const id = k.let('id', ids.at(i))
      k.if(id.lt(bins), () => counts.at(id).add(1))
    })
  },
)

/**
 * counts[b] += 1 for every x[i] in bin b of `bins` equal ones between low and high, of which the last one has its upper end; what is
 * outside of [low, high], and NaN, counts nothing. `scale` is bins / (high − low).
 */
export const histogramRange = kernel(
  'histogram_range',
  {
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.f32)), counts: inout(d.arrayOf(d.atomic(d.u32))) },
    params: { n: d.u32, bins: d.u32, low: d.f32, high: d.f32, scale: d.f32 },
    workgroups: ({ n }) => [ceilDiv(n, 256)],
  },
  ({ x, counts, n, bins, low, high, scale }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => {
      const value = k.let('value', x.at(i))
      k.if(value.ge(low).and(value.le(high)), () => {
        const bin = k.let('bin', fn.min(u32(fn.floor(value.sub(low).mul(scale))), bins.sub(1)))
        k.if(bin.lt(bins), () => counts.at(bin).add(1))
      })
    })
  },
)

/**
 * out[places[i]] = x[i] where keep[i] is not 0, with `places` the exclusive scan of the flags (0 or 1): the kept elements, in
 * their order. Any 4-byte values. What lies behind them in `out` stays.
 */
export const compactScatter = kernel(
  'compact_scatter',
  {
    workgroupSize: [256],
    bindings: {
      x: input(d.arrayOf(d.u32)),
      keep: input(d.arrayOf(d.u32)),
      places: input(d.arrayOf(d.u32)),
      out: output(d.arrayOf(d.u32), { writes: 'partial' }),
    },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, 256)],
  },
  ({ x, keep, places, out, n }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => {
      k.if(keep.at(i).ne(0), () => {
        const place = k.let('place', places.at(i))
        k.if(place.lt(n), () => out.at(place).set(x.at(i)))
      })
    })
  },
)

/** flags[i] = 1 where keep[i] is not 0, and one more element with the end of the scan: 0. flags: n + 1. */
export const compactFlags = kernel(
  'compact_flags',
  {
    workgroupSize: [256],
    bindings: { keep: input(d.arrayOf(d.u32)), flags: output(d.arrayOf(d.u32)) },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n.add(1), 256)],
  },
  ({ keep, flags, n }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.le(n), () => flags.at(i).set(k.when(i.lt(n), () => fn.min(keep.at(i), u32(1)), 0)))
  },
)
