import { d, type Expr, inout, input, type KernelDecl, kernel, output } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { channelOf, type Kind, normalized, rowOf, type Sizes, type Source, STORAGES, statistics, values } from './parts'

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
const norm = (kind: 'layer' | 'group', storage: Storage): KernelSource =>
  kernel(
    named(`${kind}norm`, storage),
    {
      doc: 'y = (x - mean) / √(variance + eps) · weight + bias over each row',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        weight: input(scalars(storage)),
        bias: input(scalars(storage)),
        y: output(scalars(storage)),
      },
      params: sizesOf(kind),
      workgroups: ({ rows }: { readonly rows: unknown }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    } as unknown as KernelDecl<None, None, None>,
    (view, k) => {
      const { x, weight, bias, y, ...sizes } = view as unknown as Sizes &
        Record<'x' | 'weight' | 'bias', Source> & {
          readonly y: Target
        }
      const row = rowOf(k, sizes.cols)
      const value = values(x, row)
      const moments = statistics(k, kind, row, sizes, value)
      row.each((c) => {
        const channel = k.let('channel', channelOf(kind, k, sizes, c))
        const scaled = normalized(kind, value(c), moments).mul(read(weight.at(channel)))
        y.at(row.start.add(c)).set(stored(storage, scaled.add(read(bias.at(channel)))))
      })
    },
  )

/**
 * residual ← x + residual, y = rmsnorm(residual) · weight: the sum that goes on in the residual stream, and what the next layer reads,
 * in one kernel. With `shift` = 1 the weight is 1 + weight, as Gemma has it.
 */
const residualRmsnorm = (storage: Storage): KernelSource =>
  kernel(
    named('residual_rmsnorm', storage),
    {
      doc: 'residual ← x + residual, y = residual / √(mean(residual²) + eps) · (weight + shift)',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        residual: inout(scalars(storage)),
        weight: input(scalars(storage)),
        y: output(scalars(storage)),
      },
      params: { rows: d.u32, cols: d.u32, eps: d.f32, shift: d.f32 },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, residual, weight, y, cols, eps, shift }, k) => {
      const row = rowOf(k, cols)
      // what an invocation reads again it has written itself
      row.each((c) => {
        const at = row.start.add(c)
        residual.at(at).set(stored(storage, read(x.at(at)).add(read(residual.at(at)))))
      })
      const value = values(residual as unknown as Source, row)
      const moments = statistics(k, 'rms', row, { cols, eps }, value)
      row.each((c) => {
        const scaled = normalized('rms', value(c), moments).mul(read(weight.at(c)).add(shift))
        y.at(row.start.add(c)).set(stored(storage, scaled))
      })
    },
  )

export const norms: readonly KernelSource[] = STORAGES.flatMap((storage) => [
  norm('layer', storage),
  norm('group', storage),
  residualRmsnorm(storage),
])
