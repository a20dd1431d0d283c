import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
  vec4f,
  vec4h,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { named, read, type Storage, scalars } from '../parts/storage'
import { copyParams, type U32 } from './numbers'

/**
 * out[z, i, j] = x[z, i, j] for a batch of rows × cols matrices with strides, in rows of `width` elements, zeros behind each row: so that
 * loads of several elements fit. The fast kernels of a product read matrices of this kind alone; copying costs two passes over an operand,
 * which is a few percent of a large product.
 *
 * x[z, i, j] lies as `copyParams` say; out: [batch, rows, width], width a multiple of 4 and at least cols.
 */
const alignOf = (storage: Storage): KernelSource => {
  const quad = (storage === 'f16' ? d.vec4h : d.vec4f) as typeof d.vec4f
  interface View extends Readonly<Record<keyof typeof copyParams, U32>> {
    readonly x: { at(i: U32): Expr<'f32'> }
    readonly out: { at(i: U32): { set(value: Expr<'vec4f'>): void } }
  }
  const decl = {
    doc: 'a batch of matrices in rows of a width that loads of several elements fit, with zeros behind each row',
    workgroupSize: [256],
    bindings: { x: input(scalars(storage)), out: output(d.arrayOf(quad)) },
    params: copyParams,
    workgroups: ({ rows, batch, width }: Readonly<Record<'rows' | 'batch' | 'width', HostNumber>>) => [
      ceilDiv(rows.mul(batch).mul(width.div(4)), 256),
    ],
  } as unknown as KernelDecl<Record<never, never>, Record<never, never>, Record<never, never>>
  return kernel(named('matmul_align', storage), decl, (untyped, k: Builder) => {
    const { x, out, rows, cols, batch, offset, row, item, width } = untyped as unknown as View
    const i = k.let('i', k.globalIndex)
    const quads = k.let('quads', width.div(4))
    k.if(i.lt(rows.mul(batch).mul(quads)), () => {
      const line = k.let('line', i.div(quads))
      const col = k.let('col', i.rem(quads).mul(4))
      const first = k.let('first', u32`${offset} + ${line} / ${rows} * ${item} + ${line} % ${rows} * ${row} + ${col}`)
      const at = (j: number): Expr<'f32'> => k.when(col.add(j).lt(cols), () => read(x.at(first.add(j))), 0)
      const value = vec4f(at(0), at(1), at(2), at(3))
      out.at(i).set(storage === 'f16' ? (vec4h(value) as unknown as Expr<'vec4f'>) : value)
    })
  })
}

export const matmulAlign = alignOf('f32')
export const matmulAlignHalf = alignOf('f16')
