import { d, type Expr, f32, inout, input, type KernelDecl, kernel, output } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { rmsnormOf } from '../norm/rmsnorm'
import { widthIn } from '../parts/fixed-row'
import { lanesOf } from '../parts/lanes'
import { REDUCE_VARIANTS } from '../parts/reduce'
import type { Place, Row } from '../parts/row'
import { rowOf } from '../parts/row-of'
import { QUAD_SPANS, ROW_FORMS, ROW_INVOCATIONS, type Span, spanned, type Width, widened } from '../parts/span'
import { named, type Storage } from '../parts/storage'
import { channelOf, type Kind, normalized, type Sizes, type Source, STORAGES, statistics } from './parts'

type None = Record<never, never>

interface Target {
  at(i: Expr<'u32'>): { set(value: Expr<'f32'>): void }
}

/** The params of a kind of norm, as declared. */
export const sizesOf = (kind: Kind) => ({
  rows: d.u32,
  cols: d.u32,
  eps: d.f32,
  ...(kind === 'group' ? { groups: d.u32, places: d.u32 } : {}),
})

/**
 * y = (x − mean) / √(variance + eps) · weight + bias over each row (Ba, Kiros and Hinton, "Layer normalization", 2016); of groupnorm
 * a row is a group of channels with all their places (Wu and He, 2018). x, y: rows × cols; weight, bias: the channels.
 */
const norm = (kind: 'layer' | 'group', storage: Storage, span: Span, width: Width = 1): KernelSource => {
  const lanes = lanesOf(storage, width)
  return kernel(
    named(spanned(widened(`${kind}norm`, width), span), storage),
    {
      doc: 'y = (x - mean) / √(variance + eps) · weight + bias over each row',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: {
        x: input(lanes.array),
        weight: input(lanes.array),
        bias: input(lanes.array),
        y: output(lanes.array),
      },
      ...widthIn(span, sizesOf(kind)),
      workgroups: ({ rows }: { readonly rows: unknown }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    } as unknown as KernelDecl<None, None, None>,
    (view, k) => {
      const { x, weight, bias, y, ...sizes } = view as unknown as Sizes &
        Record<'x' | 'weight' | 'bias', Source> & {
          readonly y: Target
        }
      const body = (row: Row<'x'>): void => {
        const moments = statistics(k, kind, row, sizes, () => lanes.read(x.at(row.start)))
        const channel = ({ c }: Place) => channelOf(kind, k, sizes, c)
        row.each(
          (values, { i }) => y.at(i).set(lanes.stored(normalized(kind, values.x, moments).mul(values.w).add(values.b))),
          { w: (at) => lanes.read(weight.at(channel(at))), b: (at) => lanes.read(bias.at(channel(at))) },
        )
      }
      rowOf(k, sizes.cols, { x: (i) => lanes.read(x.at(i)) }, body, lanes, span)
    },
  )
}

/**
 * residual ← x + residual, y = rmsnorm(residual) · weight: the sum that goes on in the residual stream, and what the next layer reads,
 * in one kernel. With `shift` = 1 the weight is 1 + weight, as Gemma has it.
 */
const residualRmsnorm = (storage: Storage, span: Span, width: Width = 1): KernelSource => {
  const lanes = lanesOf(storage, width)
  return kernel(
    named(spanned(widened('residual_rmsnorm', width), span), storage),
    {
      doc: 'residual ← x + residual, y = residual / √(mean(residual²) + eps) · (weight + shift)',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: {
        x: input(lanes.array),
        residual: inout(lanes.array),
        weight: input(lanes.array),
        y: output(lanes.array),
      },
      ...widthIn(span, { rows: d.u32, cols: d.u32, eps: d.f32, shift: d.f32 }),
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, residual, weight, y, cols, eps, shift }, k) => {
      // the sum as it is stored, which is what the next layer sees of it
      const sum = (i: Expr<'u32'>) => lanes.read(lanes.stored(lanes.read(x.at(i)).add(lanes.read(residual.at(i)))))
      const body = (row: Row<'x'>): void => {
        row.store(
          'x',
          (i, value) => residual.at(i).set(lanes.stored(value)),
          (i) => lanes.read(residual.at(i)),
        )
        const moments = statistics(k, 'rms', row, { cols, eps }, () => f32(0))
        row.each(({ x, w }, { i }) => y.at(i).set(lanes.stored(normalized('rms', x, moments).mul(w.add(shift)))), {
          w: ({ c }) => lanes.read(weight.at(c)),
        })
      }
      rowOf(k, cols, { x: sum }, body, lanes, span)
    },
  )
}

export const norms: readonly KernelSource[] = [
  rmsnormOf('f16'),
  rmsnormOf('f32', 'short'),
  rmsnormOf('f16', 'short'),
  ...QUAD_SPANS.map((span) => rmsnormOf('f16', span, 4)),
  rmsnormOf('f32', 'fixed', 4),
  ...ROW_FORMS.flatMap(([storage, span, width]) => [
    norm('layer', storage, span, width),
    residualRmsnorm(storage, span, width),
  ]),
  ...QUAD_SPANS.map((span) => norm('layer', 'f32', span, 4)),
  ...STORAGES.map((storage) => norm('group', storage, 'any')),
]
