import { type Builder, bool, ceilDiv, d, type Expr, f32, fn, i32, input, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/** Images at other places than their own: upsampling, sampling by a grid; and the batch norm of inference. */

interface Plane {
  /** The element of a row and a column of the plane, or 0 outside of it. */
  readonly at: (row: Expr<'i32'>, column: Expr<'i32'>) => Expr<'f32'>
}

const planeOf = (
  k: Builder,
  x: { at(i: Expr<'u32'>): Expr<'f32'> },
  start: Expr<'u32'>,
  height: Expr<'u32'>,
  width: Expr<'u32'>,
): Plane => ({
  at: (row, column) =>
    k.when(
      bool`${row} >= 0 && ${row} < i32(${height}) && ${column} >= 0 && ${column} < i32(${width})`,
      () => read(x.at(u32`${start} + u32(${row}) * ${width} + u32(${column})`)),
      0,
    ),
})

const SIZES = { planes: d.u32, height: d.u32, width: d.u32, out_height: d.u32, out_width: d.u32 } as const

/** The element below: row ⌊p · scale⌋ of the last one at most. */
const nearest = (storage: Storage): KernelSource =>
  kernel(
    named('upsample_nearest2d', storage),
    {
      doc: 'y[p, q] = x[⌊p · scale.x⌋, ⌊q · scale.y⌋]',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params: { ...SIZES, scale: d.vec2f },
      workgroups: ({ planes, out_height, out_width }) => [ceilDiv(planes.mul(out_height).mul(out_width), 256)],
    },
    ({ x, y, planes, height, width, out_height, out_width, scale }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${planes} * ${out_height} * ${out_width}`), () => {
        const { q, p } = k.let({ q: i.rem(out_width), p: i.div(out_width).rem(out_height) })
        const start = k.let('start', u32`${i} / (${out_width} * ${out_height}) * ${height} * ${width}`)
        const row = k.let('row', fn.min(u32(f32(p).mul(scale.x)), height.sub(1)))
        const column = k.let('column', fn.min(u32(f32(q).mul(scale.y)), width.sub(1)))
        y.at(i).set(stored(storage, read(x.at(u32`${start} + ${row} * ${width} + ${column}`))))
      })
    },
  )

/**
 * Between four elements: the place in x is p · scale.x with the corners aligned (`corners` not 0), else (p + ½) · scale.x − ½, not
 * below 0.
 */
const bilinear = (storage: Storage): KernelSource =>
  kernel(
    named('upsample_bilinear2d', storage),
    {
      doc: 'y[p, q] = x between four elements, at (p, q) · scale with corners aligned, else at (p + ½, q + ½) · scale - ½',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params: { ...SIZES, scale: d.vec2f, corners: d.u32 },
      workgroups: ({ planes, out_height, out_width }) => [ceilDiv(planes.mul(out_height).mul(out_width), 256)],
    },
    ({ x, y, planes, height, width, out_height, out_width, scale, corners }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${planes} * ${out_height} * ${out_width}`), () => {
        const { q, p } = k.let({ q: i.rem(out_width), p: i.div(out_width).rem(out_height) })
        const start = k.let('start', u32`${i} / (${out_width} * ${out_height}) * ${height} * ${width}`)
        const place = (at: Expr<'u32'>, by: Expr<'f32'>): Expr<'f32'> =>
          fn.max(fn.select(f32(at).add(0.5).mul(by).sub(0.5), f32(at).mul(by), corners.ne(0)), 0)
        const { v, u } = k.let({ v: place(p, scale.x), u: place(q, scale.y) })
        const { top, left } = k.let({ top: fn.min(u32(v), height.sub(1)), left: fn.min(u32(u), width.sub(1)) })
        const { bottom, right } = k.let({
          bottom: fn.min(top.add(1), height.sub(1)),
          right: fn.min(left.add(1), width.sub(1)),
        })
        const { down, across } = k.let({
          down: fn.clamp(v.sub(f32(top)), 0, 1),
          across: fn.clamp(u.sub(f32(left)), 0, 1),
        })
        const at = (row: Expr<'u32'>, column: Expr<'u32'>) => read(x.at(u32`${start} + ${row} * ${width} + ${column}`))
        const upper = k.let('upper', fn.mix(at(top, left), at(top, right), across))
        const lower = k.let('lower', fn.mix(at(bottom, left), at(bottom, right), across))
        y.at(i).set(stored(storage, fn.mix(upper, lower, down)))
      })
    },
  )

/**
 * y[n, c, p, q] = x[n, c] at grid[n, p, q] = (horizontal, vertical), from −1 to 1 over the image: between four elements, or the nearest
 * one. What lies outside counts as 0. With `corners` not 0, ±1 are the centres of the outermost elements, else their outer edges.
 */
const gridSample = (storage: Storage): KernelSource =>
  kernel(
    named('grid_sample', storage),
    {
      doc: 'y[n, c, p, q] = x[n, c] at grid[n, p, q] from -1 to 1, between four elements or the nearest one; 0 outside',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), grid: input(d.arrayOf(d.vec2f)), y: output(scalars(storage)) },
      params: {
        items: d.u32,
        channels: d.u32,
        height: d.u32,
        width: d.u32,
        out_height: d.u32,
        out_width: d.u32,
        nearest: d.u32,
        corners: d.u32,
      },
      workgroups: ({ items, channels, out_height, out_width }) => [
        ceilDiv(items.mul(channels).mul(out_height).mul(out_width), 256),
      ],
    },
    ({ x, grid, y, items, channels, height, width, out_height, out_width, nearest, corners }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${items} * ${channels} * ${out_height} * ${out_width}`), () => {
        const spot = k.let('spot', i.rem(out_height.mul(out_width)))
        const plane = k.let('plane', i.div(out_height.mul(out_width)))
        const wanted = k.let('wanted', grid.at(u32`${plane} / ${channels} * ${out_height} * ${out_width} + ${spot}`))
        const place = (at: Expr<'f32'>, extent: Expr<'u32'>): Expr<'f32'> =>
          fn.select(
            at.add(1).mul(f32(extent)).sub(1).mul(0.5),
            at.add(1).mul(f32(extent).sub(1)).mul(0.5),
            corners.ne(0),
          )
        // far outside it is outside all the same, and fits an integer
        const bounded = (at: Expr<'f32'>, extent: Expr<'u32'>) => fn.clamp(place(at, extent), -2, f32(extent).add(1))
        const { u, v } = k.let({ u: bounded(wanted.x, width), v: bounded(wanted.y, height) })
        const image = planeOf(k, x as never, k.let('start', plane.mul(height).mul(width)), height, width)
        const value = k.var('value', f32(0))
        k.if(nearest.ne(0), () => value.set(image.at(i32(fn.round(v)), i32(fn.round(u))))).else(() => {
          const { top, left } = k.let({ top: i32(fn.floor(v)), left: i32(fn.floor(u)) })
          const { down, across } = k.let({ down: v.sub(f32(top)), across: u.sub(f32(left)) })
          const upper = k.let('upper', fn.mix(image.at(top, left), image.at(top, left.add(1)), across))
          const lower = k.let('lower', fn.mix(image.at(top.add(1), left), image.at(top.add(1), left.add(1)), across))
          value.set(fn.mix(upper, lower, down))
        })
        y.at(i).set(stored(storage, value))
      })
    },
  )

/** y = (x − mean[c]) / √(variance[c] + eps) · weight[c] + bias[c], with the statistics of the training. x: [items, channels, places]. */
const batchNorm = (storage: Storage): KernelSource =>
  kernel(
    named('batch_norm', storage),
    {
      doc: 'y = (x - mean[c]) / √(variance[c] + eps) · weight[c] + bias[c], of the channel c of x',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        mean: input(d.arrayOf(d.f32)),
        variance: input(d.arrayOf(d.f32)),
        weight: input(d.arrayOf(d.f32)),
        bias: input(d.arrayOf(d.f32)),
        y: output(scalars(storage)),
      },
      params: { n: d.u32, channels: d.u32, places: d.u32, eps: d.f32 },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
      aliases: [['x', 'y']],
    },
    ({ x, mean, variance, weight, bias, y, n, channels, places, eps }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const c = k.let('c', i.div(places).rem(channels))
        const scale = k.let('scale', fn.inverseSqrt(variance.at(c).add(eps)).mul(weight.at(c)))
        y.at(i).set(stored(storage, fn.fma(read(x.at(i)).sub(mean.at(c)), scale, bias.at(c))))
      })
    },
  )

export const resamplers: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) => [
  nearest(storage),
  bilinear(storage),
  gridSample(storage),
  batchNorm(storage),
])
