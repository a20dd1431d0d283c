import { ceilDiv, d, type Expr, f32, fn, type HostNumber, input, type KernelDecl, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { rowOf } from '../parts/row-of'
import { rowSums } from '../parts/row-sums'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { sizesOf } from './forward'
import { channelOf, type Kind, normalized, type Sizes, type Source, STORAGES, statistics } from './parts'

type None = Record<never, never>

interface Target {
  at(i: Expr<'u32'>): { set(value: Expr<'f32'>): void }
}

/**
 * The gradient of a norm by its input. With n = (x − mean) · rstd and g = dy · weight:
 *
 *     dx = rstd · (g − mean(g) − n · mean(g · n))        without mean(g) for rmsnorm
 *
 * The statistics are computed again from x, and left in `stats`: [rows, 2], f32, for the gradients of weight and bias:
 * how far the mean is above the first element of the row, and rstd.
 */
const byInput = (kind: Kind, storage: Storage): KernelSource =>
  kernel(
    named(`${kind}norm_backward`, storage),
    {
      doc: 'dx = rstd · (g - mean(g) - n · mean(g · n)) with g = dy · weight and n the normalized row; stats: mean - first element, and rstd',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        weight: input(scalars(storage)),
        dy: input(scalars(storage)),
        dx: output(scalars(storage)),
        stats: output(d.arrayOf(d.vec2f)),
      },
      params: sizesOf(kind),
      workgroups: ({ rows }: { readonly rows: unknown }) => [rows],
      variants: REDUCE_VARIANTS,
    } as unknown as KernelDecl<None, None, None>,
    (view, k) => {
      const { x, weight, dy, dx, stats, ...sizes } = view as unknown as Sizes &
        Record<'x' | 'weight' | 'dy', Source> & {
          readonly dx: Target
          readonly stats: {
            at(i: Expr<'u32'>): { readonly x: { set(v: Expr<'f32'>): void }; readonly y: { set(v: Expr<'f32'>): void } }
          }
        }
      rowOf(k, sizes.cols, { x: (i) => read(x.at(i)), dy: (i) => read(dy.at(i)) }, (row) => {
        const moments = statistics(k, kind, row, sizes, () => read(x.at(row.start)))
        const gradient = (dy: Expr<'f32'>, c: Expr<'u32'>) => dy.mul(read(weight.at(channelOf(kind, k, sizes, c))))
        const normal = (x: Expr<'f32'>) => normalized(kind, x, moments)
        const inverse = f32(1).div(f32(sizes.cols))
        const sums = rowSums(k, 'gradients', row, kind === 'rms' ? 1 : 2, ({ x, dy }, { c }) => {
          const g = k.let('g', gradient(dy, c))
          return [g.mul(normal(x)), g]
        }).map((sum, i) => k.let(i ? 'mean_g' : 'mean_gn', sum.mul(inverse)))
        row.each(({ x, dy }, { i, c }) => {
          const rest = gradient(dy, c).sub(normal(x).mul(sums[0] as Expr<'f32'>))
          dx.at(i).set(stored(storage, (sums[1] ? rest.sub(sums[1]) : rest).mul(moments.rstd)))
        })
        k.if(k.localIndex.eq(0), () => {
          stats.at(k.workgroupIndex).x.set(moments.offset)
          stats.at(k.workgroupIndex).y.set(moments.rstd)
        })
      })
    },
  )

/**
 * The gradients by weight and bias of a norm over the last axis: an invocation takes a column and goes down the rows, so that
 * neighbours read neighbours. dweight[c] = Σ dy · n, dbias[c] = Σ dy, in f32 whatever the storage.
 */
const byWeight = (kind: 'layer' | 'rms', storage: Storage): KernelSource => {
  const results =
    kind === 'rms'
      ? { dweight: output(d.arrayOf(d.f32)) }
      : { dweight: output(d.arrayOf(d.f32)), dbias: output(d.arrayOf(d.f32)) }
  return kernel(
    named(`${kind}norm_backward_weight`, storage),
    {
      doc: `dweight[c] = Σ dy · n over the rows, with n the normalized x${kind === 'rms' ? '' : '; dbias[c] = Σ dy'}`,
      workgroupSize: [64],
      bindings: {
        x: input(scalars(storage)),
        dy: input(scalars(storage)),
        stats: input(d.arrayOf(d.vec2f)),
        ...results,
      },
      params: { rows: d.u32, cols: d.u32 },
      workgroups: ({ cols }: { readonly cols: HostNumber }) => [ceilDiv(cols, 64)],
    } as unknown as KernelDecl<None, None, None>,
    (view, k) => {
      const { x, dy, stats, rows, cols, dweight, dbias } = view as unknown as Record<'x' | 'dy', Source> &
        Record<'rows' | 'cols', Expr<'u32'>> & {
          readonly stats: { at(i: Expr<'u32'>): Expr<'vec2f'> }
          readonly dweight: Target
          readonly dbias?: Target
        }
      const c = k.let('c', k.globalIndex)
      k.if(c.lt(cols), () => {
        const { scale, shift } = k.var({ scale: f32(0), shift: f32(0) })
        k.range(
          'r',
          0,
          rows,
          (r) => {
            const at = k.let('at', r.mul(cols).add(c))
            const { of, g } = k.let({ of: stats.at(r), g: read(dy.at(at)) })
            const moments = { first: kind === 'rms' ? f32(0) : read(x.at(r.mul(cols))), offset: of.x, rstd: of.y }
            scale.set(fn.fma(g, normalized(kind, read(x.at(at)), moments), scale))
            if (dbias) shift.addAssign(g)
          },
          { unroll: 8 },
        )
        dweight.at(c).set(scale)
        dbias?.at(c).set(shift)
      })
    },
  )
}

/** The same for groupnorm: a workgroup takes a channel, with its places in all items. x: [items, groups · channels, places]. */
const byChannel = (storage: Storage): KernelSource =>
  kernel(
    named('groupnorm_backward_weight', storage),
    {
      doc: 'dweight[c] = Σ dy · n over items and places, with n the normalized x; dbias[c] = Σ dy',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        dy: input(scalars(storage)),
        stats: input(d.arrayOf(d.vec2f)),
        dweight: output(d.arrayOf(d.f32)),
        dbias: output(d.arrayOf(d.f32)),
      },
      params: { items: d.u32, groups: d.u32, channels: d.u32, places: d.u32 },
      workgroups: ({ groups, channels }) => [groups.mul(channels)],
      variants: REDUCE_VARIANTS,
    },
    ({ x, dy, stats, dweight, dbias, items, groups, channels, places }, k) => {
      const c = k.let('c', k.workgroupIndex)
      const { scale, shift } = k.var({ scale: f32(0), shift: f32(0) })
      k.range('i', k.localIndex, items.mul(places), 256, (i) => {
        const item = k.let('item', i.div(places))
        const at = k.let('at', u32`(${item} * ${groups} * ${channels} + ${c}) * ${places} + ${i} % ${places}`)
        const group = k.let('group', u32`${item} * ${groups} + ${c} / ${channels}`)
        const { of, g } = k.let({ of: stats.at(group), g: read(dy.at(at)) })
        const first = read(x.at(group.mul(channels).mul(places)))
        const moments = { first, offset: of.x, rstd: of.y }
        scale.set(fn.fma(g, normalized('group', read(x.at(at)), moments), scale))
        shift.addAssign(g)
      })
      const total = k.let('total', workgroupReduce(k, 'scales', scale, SUM))
      const sum = k.let('sum', workgroupReduce(k, 'shifts', shift, SUM))
      k.if(k.localIndex.eq(0), () => {
        dweight.at(c).set(total)
        dbias.at(c).set(sum)
      })
    },
  )

export const normGradients: readonly KernelSource[] = STORAGES.flatMap((storage) => [
  byInput('layer', storage),
  byInput('rms', storage),
  byInput('group', storage),
  byWeight('layer', storage),
  byWeight('rms', storage),
  byChannel(storage),
])
