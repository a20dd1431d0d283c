import { ceilDiv, d, f32, fn, input, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { eachInWindow } from './window'

/**
 * Pooling of planes x: [planes, height, width] to y: [planes, out_height, out_width]; planes are items · channels. An invocation
 * computes one element.
 */

const WINDOW = {
  planes: d.u32,
  height: d.u32,
  width: d.u32,
  out_height: d.u32,
  out_width: d.u32,
  filter: d.vec2u,
  stride: d.vec2u,
  pad: d.vec2u,
  dilation: d.vec2u,
} as const

/**
 * The greatest x of a window, and where it lies in its plane (row · width + column), the first of equals. Padding does not take
 * part. A window of padding alone gives the least finite value, and index 0.
 */
const maxPool = (storage: Storage): KernelSource =>
  kernel(
    named('max_pool2d', storage),
    {
      doc: 'the greatest x of each window, and its index in the plane',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)), index: output(d.arrayOf(d.u32)) },
      params: WINDOW,
      workgroups: ({ planes, out_height, out_width }) => [ceilDiv(planes.mul(out_height).mul(out_width), 256)],
    },
    ({ x, y, index, planes, out_height, out_width, ...window }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${planes} * ${out_height} * ${out_width}`), () => {
        const { q, p } = k.let({ q: i.rem(out_width), p: i.div(out_width).rem(out_height) })
        const start = k.let('start', u32`${i} / (${out_width} * ${out_height}) * ${window.height} * ${window.width}`)
        const { best, place } = k.var({ best: f32(storage === 'f16' ? -65504 : -3.4028234663852886e38), place: u32(0) })
        eachInWindow(k, window, p, q, (at) => {
          const value = k.let('value', read(x.at(start.add(at))))
          k.if(value.gt(best), () => {
            best.set(value)
            place.set(at)
          })
        })
        y.at(i).set(stored(storage, best))
        index.at(i).set(place)
      })
    },
  )

/** The mean of a window: over all its places, padding as 0, when `with_pad` is not 0; otherwise over those in the image. */
const avgPool = (storage: Storage): KernelSource =>
  kernel(
    named('avg_pool2d', storage),
    {
      doc: 'the mean of each window, of the places in the image, or of all with padding as 0',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params: { ...WINDOW, with_pad: d.u32 },
      workgroups: ({ planes, out_height, out_width }) => [ceilDiv(planes.mul(out_height).mul(out_width), 256)],
    },
    ({ x, y, planes, out_height, out_width, with_pad, ...window }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${planes} * ${out_height} * ${out_width}`), () => {
        const { q, p } = k.let({ q: i.rem(out_width), p: i.div(out_width).rem(out_height) })
        const start = k.let('start', u32`${i} / (${out_width} * ${out_height}) * ${window.height} * ${window.width}`)
        const { sum, count } = k.var({ sum: f32(0), count: u32(0) })
        eachInWindow(k, window, p, q, (at) => {
          sum.addAssign(read(x.at(start.add(at))))
          count.addAssign(1)
        })
        const places = fn.select(fn.max(count, u32(1)), window.filter.x.mul(window.filter.y), with_pad.ne(0))
        y.at(i).set(stored(storage, sum.div(f32(places))))
      })
    },
  )

/** The mean of the part of x that belongs to each place of y: rows ⌊p · height / out_height⌋ … ⌈(p + 1) · height / out_height⌉, and so on. */
const adaptive = (storage: Storage): KernelSource =>
  kernel(
    named('adaptive_avg_pool2d', storage),
    {
      doc: 'the mean of the rows ⌊p · height / out_height⌋ … ⌈(p + 1) · height / out_height⌉, and so the columns, for each place',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params: { planes: d.u32, height: d.u32, width: d.u32, out_height: d.u32, out_width: d.u32 },
      workgroups: ({ planes, out_height, out_width }) => [ceilDiv(planes.mul(out_height).mul(out_width), 256)],
    },
    ({ x, y, planes, height, width, out_height, out_width }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(u32`${planes} * ${out_height} * ${out_width}`), () => {
        const { q, p } = k.let({ q: i.rem(out_width), p: i.div(out_width).rem(out_height) })
        const start = k.let('start', u32`${i} / (${out_width} * ${out_height}) * ${height} * ${width}`)
        const { top, bottom } = k.let({
          top: u32`${p} * ${height} / ${out_height}`,
          bottom: u32`((${p} + 1) * ${height} + ${out_height} - 1) / ${out_height}`,
        })
        const { left, right } = k.let({
          left: u32`${q} * ${width} / ${out_width}`,
          right: u32`((${q} + 1) * ${width} + ${out_width} - 1) / ${out_width}`,
        })
        const sum = k.var('sum', f32(0))
        k.range('h', top, bottom, (h) => {
          k.range('w', left, right, (w) => sum.addAssign(read(x.at(u32`${start} + ${h} * ${width} + ${w}`))))
        })
        y.at(i).set(stored(storage, sum.div(f32(u32`(${bottom} - ${top}) * (${right} - ${left})`))))
      })
    },
  )

export const pools: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) => [
  maxPool(storage),
  avgPool(storage),
  adaptive(storage),
])
