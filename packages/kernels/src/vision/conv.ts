import {
  type Builder,
  bool,
  ceilDiv,
  d,
  type Expr,
  f32,
  fn,
  type HostNumber,
  i32,
  input,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { eachInWindow } from './window'

/**
 * Convolutions of images x: [items, channels, height, width] with filters of any size, stride, padding and dilation, in groups
 * (depthwise: as many groups as channels). An invocation computes one element of y: [items, outs, out_height, out_width]; what lies in
 * the padding counts as 0. One of one dimension has height 1. Results are clamped to [low, high]: (−∞, ∞), or (0, 6) for a ReLU6.
 */

const SIZES = {
  items: d.u32,
  channels: d.u32,
  height: d.u32,
  width: d.u32,
  outs: d.u32,
  out_height: d.u32,
  out_width: d.u32,
  groups: d.u32,
  filter: d.vec2u,
  stride: d.vec2u,
  pad: d.vec2u,
  dilation: d.vec2u,
  has_bias: d.u32,
  low: d.f32,
  high: d.f32,
} as const

/** An invocation for each element of a result of these extents. */
const perElement = (...extents: HostNumber[]) => [
  ceilDiv(
    extents.reduce((n, extent) => n.mul(extent)),
    256,
  ),
]

/** The arrays of both convolutions of floats. */
const arrays = (storage: Storage) => ({
  x: input(scalars(storage)),
  weight: input(scalars(storage)),
  bias: input(scalars(storage)),
  y: output(scalars(storage)),
})

/** Calls `body` for the element of y that is this invocation's, with its item, channel, row and column. */
function atOutput(
  k: Builder,
  { items, outs, out_height, out_width }: Readonly<Record<'items' | 'outs' | 'out_height' | 'out_width', Expr<'u32'>>>,
  body: (i: Expr<'u32'>, place: Readonly<Record<'n' | 'o' | 'p' | 'q', Expr<'u32'>>>) => void,
): void {
  const i = k.let('i', k.globalIndex)
  k.if(i.lt(u32`${items} * ${outs} * ${out_height} * ${out_width}`), () => {
    const { q, p } = k.let({ q: i.rem(out_width), p: i.div(out_width).rem(out_height) })
    const plane = k.let('plane', i.div(out_width.mul(out_height)))
    body(i, { q, p, ...k.let({ o: plane.rem(outs), n: plane.div(outs) }) })
  })
}

/**
 * y[n, o, p, q] = bias[o] + Σ weight[o, c, a, b] · x[n, c, p · stride − pad + a · dilation, …] over the channels c of the group of o.
 * weight: [outs, channels / groups, filter].
 */
const conv2d = (storage: Storage): KernelSource =>
  kernel(
    named('conv2d', storage),
    {
      doc: 'y[n, o, p, q] = bias[o] + Σ weight[o, c, a, b] · x[n, c, p · stride - pad + a · dilation, …], clamped to [low, high]',
      workgroupSize: [256],
      bindings: arrays(storage),
      params: SIZES,
      workgroups: ({ items, outs, out_height, out_width }) => perElement(items, outs, out_height, out_width),
    },
    (view, k) => {
      const { x, weight, bias, y, channels, height, width, outs, groups, filter, has_bias, low, high } = view
      atOutput(k, view, (i, { n, o, p, q }) => {
        const each = k.let('each', channels.div(groups))
        const firstChannel = k.let('first_channel', u32`${o} / (${outs} / ${groups}) * ${each}`)
        const sum = k.var('sum', f32(0))
        eachInWindow(k, view, p, q, (place, a, b) => {
          const tap = k.let('tap', u32`${a} * ${filter.y} + ${b}`)
          k.range('c', 0, each, (c) => {
            const at = u32`(${n} * ${channels} + ${firstChannel} + ${c}) * ${height} * ${width} + ${place}`
            const of = u32`(${o} * ${each} + ${c}) * ${filter.x} * ${filter.y} + ${tap}`
            sum.set(fn.fma(read(x.at(at)), read(weight.at(of)), sum))
          })
        })
        const offset = k.when(has_bias.ne(0), () => read(bias.at(o)), 0)
        y.at(i).set(stored(storage, fn.clamp(sum.add(offset), low, high)))
      })
    },
  )

/**
 * The adjoint of conv2d by its input: y[n, o, p, q] = bias[o] + Σ weight[c, o, a, b] · x[n, c, h, w] over all h, w with
 * h · stride − pad + a · dilation = p. weight: [channels, outs / groups, filter].
 */
const transposed = (storage: Storage): KernelSource =>
  kernel(
    named('conv_transpose2d', storage),
    {
      doc: 'y[n, o, p, q] = bias[o] + Σ weight[c, o, a, b] · x[n, c, h, w] over h · stride - pad + a · dilation = p, …, clamped to [low, high]',
      workgroupSize: [256],
      bindings: arrays(storage),
      params: SIZES,
      workgroups: ({ items, outs, out_height, out_width }) => perElement(items, outs, out_height, out_width),
    },
    (view, k) => {
      const { x, weight, bias, y, channels, height, width, outs, groups } = view
      const { filter, stride, pad, dilation, has_bias, low, high } = view
      atOutput(k, view, (i, { n, o, p, q }) => {
        const { each, outsEach } = k.let({ each: channels.div(groups), outsEach: outs.div(groups) })
        const { group, out } = k.let({ group: o.div(outsEach), out: o.rem(outsEach) })
        const sum = k.var('sum', f32(0))
        k.range('a', 0, filter.x, (a) => {
          const h = k.let('h', i32(p.add(pad.x)).sub(i32(a.mul(dilation.x))))
          const rows = i32(stride.x)
          k.if(bool`${h} >= 0 && ${h} % ${rows} == 0 && ${h} / ${rows} < i32(${height})`, () => {
            k.range('b', 0, filter.y, (b) => {
              const w = k.let('w', i32(q.add(pad.y)).sub(i32(b.mul(dilation.y))))
              const columns = i32(stride.y)
              k.if(bool`${w} >= 0 && ${w} % ${columns} == 0 && ${w} / ${columns} < i32(${width})`, () => {
                const place = k.let('place', u32`u32(${h} / ${rows}) * ${width} + u32(${w} / ${columns})`)
                const tap = k.let('tap', u32`${a} * ${filter.y} + ${b}`)
                k.range('c', 0, each, (c) => {
                  const channel = k.let('channel', u32`${group} * ${each} + ${c}`)
                  const at = u32`(${n} * ${channels} + ${channel}) * ${height} * ${width} + ${place}`
                  const of = u32`(${channel} * ${outsEach} + ${out}) * ${filter.x} * ${filter.y} + ${tap}`
                  sum.set(fn.fma(read(x.at(at)), read(weight.at(of)), sum))
                })
              })
            })
          })
        })
        const offset = k.when(has_bias.ne(0), () => read(bias.at(o)), 0)
        y.at(i).set(stored(storage, fn.clamp(sum.add(offset), low, high)))
      })
    },
  )

/** Byte i of an array of i8, four to a word, sign and all. */
export const byteAt = (words: { at(i: Expr<'u32'>): Expr<'u32'> }, i: Expr<'u32'>): Expr<'i32'> =>
  i32(words.at(i.div(4)).shl(u32(24).sub(i.rem(4).mul(8)))).shr(24)

/**
 * conv2d of i8 with one scale and zero point for x, and a scale for each output channel of the weights, which are symmetric:
 * y = x_scale · weight_scale[o] · Σ (x − x_zero) · weight + bias[o], in f32. The sum is exact in i32. Padding is x_zero, that is 0.
 * x, weight: i8, four to a word, in the same orders.
 */
const int8: KernelSource = kernel(
  'conv2d_i8',
  {
    doc: 'y = x_scale · weight_scale[o] · Σ (x - x_zero) · weight + bias[o] of i8, four to a word, clamped to [low, high]',
    workgroupSize: [256],
    bindings: {
      x: input(d.arrayOf(d.u32)),
      weight: input(d.arrayOf(d.u32)),
      weight_scale: input(d.arrayOf(d.f32)),
      bias: input(d.arrayOf(d.f32)),
      y: output(d.arrayOf(d.f32)),
    },
    params: { ...SIZES, x_scale: d.f32, x_zero: d.i32 },
    workgroups: ({ items, outs, out_height, out_width }) => perElement(items, outs, out_height, out_width),
  },
  (view, k) => {
    const { x, weight, weight_scale, bias, y, channels, height, width, outs, groups } = view
    const { filter, has_bias, low, high, x_scale, x_zero } = view
    atOutput(k, view, (i, { n, o, p, q }) => {
      const each = k.let('each', channels.div(groups))
      const firstChannel = k.let('first_channel', u32`${o} / (${outs} / ${groups}) * ${each}`)
      const sum = k.var('sum', i32(0))
      eachInWindow(k, view, p, q, (place, a, b) => {
        const tap = k.let('tap', u32`${a} * ${filter.y} + ${b}`)
        k.range('c', 0, each, (c) => {
          const at = k.let('at', u32`(${n} * ${channels} + ${firstChannel} + ${c}) * ${height} * ${width} + ${place}`)
          const of = k.let('of', u32`(${o} * ${each} + ${c}) * ${filter.x} * ${filter.y} + ${tap}`)
          sum.addAssign(byteAt(x, at).sub(x_zero).mul(byteAt(weight, of)))
        })
      })
      const offset = k.when(has_bias.ne(0), () => bias.at(o), 0)
      const value = f32(sum)
        .mul(x_scale.mul(weight_scale.at(o)))
        .add(offset)
      y.at(i).set(fn.clamp(value, low, high))
    })
  },
)

export const convolutions: readonly KernelSource[] = [
  conv2d('f32'),
  conv2d('f16'),
  transposed('f32'),
  transposed('f16'),
  int8,
]
