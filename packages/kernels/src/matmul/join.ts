import { ceilDiv, d, type Expr, f32, type HostNumber, input, type KernelDecl, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { named, type Storage, scalars, stored } from '../parts/storage'
import { biasAt, type Epilogue, epilogueParams, finish } from './epilogue'

/**
 * c[z, i, j] = activation(alpha · Σₛ partial[s, z, i, j] + bias[j]) + residual[z, i, j]: joins the sums over parts of k, in their
 * order, so that the result is the same from run to run.
 *
 * partial: [splits, batch, m, width] f32, of which the first n of each row count; c and residual with strides as in matmul. An invocation for each element.
 */
const joinOf = (storage: Storage): KernelSource => {
  type U32 = Expr<'u32'>
  interface View extends Epilogue {
    readonly partial: { at(i: U32): Expr<'f32'> }
    readonly c: { at(i: U32): { set(value: Expr<'f32'>): void } }
  }
  type Numbers = Readonly<Record<keyof typeof params, U32>>
  const params = {
    m: d.u32,
    n: d.u32,
    batch: d.u32,
    splits: d.u32,
    width: d.u32,
    c_offset: d.u32,
    c_row: d.u32,
    c_batch: d.u32,
    residual_offset: d.u32,
    residual_row: d.u32,
    residual_batch: d.u32,
    bias_offset: d.u32,
  } as const
  const decl = {
    doc: 'c = activation(alpha · the sum of the partial products + bias) + residual',
    workgroupSize: [256],
    bindings: {
      partial: input(d.arrayOf(d.f32)),
      bias: input(scalars(storage)),
      residual: input(scalars(storage)),
      c: output(scalars(storage)),
    },
    params: { ...params, alpha: d.f32, ...epilogueParams },
    workgroups: ({ m, n, batch }: Readonly<Record<'m' | 'n' | 'batch', HostNumber>>) => [
      ceilDiv(m.mul(n).mul(batch), 256),
    ],
    aliases: [['residual', 'c']],
  } as unknown as KernelDecl<Record<never, never>, Record<never, never>, Record<never, never>>
  return kernel(named('matmul_reduce', storage), decl, (untyped, k) => {
    const view = untyped as unknown as View & Numbers
    const { m, n } = view
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(u32`${m} * ${n} * ${view.batch}`), () => {
      const { col, line } = k.let({ col: i.rem(n), line: i.div(n) })
      const { row, z } = k.let({ row: line.rem(m), z: line.div(m) })
      const { first, part } = k.let({
        first: u32`${line} * ${view.width} + ${col}`,
        part: u32`${view.batch} * ${m} * ${view.width}`,
      })
      const sum = k.var('sum', f32(0))
      k.range('s', view.splits, (s) => sum.addAssign(view.partial.at(u32`${s} * ${part} + ${first}`)))
      const bias = biasAt(k, view, () => view.bias_offset.add(col))
      const value = finish(
        k,
        view,
        sum,
        bias,
        () => u32`${view.residual_offset} + ${z} * ${view.residual_batch} + ${row} * ${view.residual_row} + ${col}`,
      )
      view.c
        .at(u32`${view.c_offset} + ${z} * ${view.c_batch} + ${row} * ${view.c_row} + ${col}`)
        .set(stored(storage, value))
    })
  })
}

export const matmulReduce = joinOf('f32')
export const matmulReduceHalf = joinOf('f16')
