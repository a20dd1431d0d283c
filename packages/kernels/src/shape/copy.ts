import { ceilDiv, d, type Expr, type HostNumber, input, type KernelDecl, kernel, output } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { placesOf, stridedParams } from '../elementwise/place'

type None = Record<never, never>

const SCHEMAS = { f32: d.f32, f16: d.f16, i32: d.i32 } as const

/**
 * to[view] = from[view]: each element of one array with strides into the same place of another. Whatever only moves
 * elements is one of these: transposing, slicing, flipping, repeating (stride 0), concatenating and padding (an offset in
 * the output). Elements are moved as they are, so i32 serves for u32 and bools, too.
 */
const copyOf = (type: keyof typeof SCHEMAS): KernelSource => {
  const decl = {
    doc: 'to = from, element by element of two arrays with strides',
    workgroupSize: [256],
    bindings: {
      from: input(d.arrayOf(SCHEMAS[type])),
      to: output(d.arrayOf(SCHEMAS[type]), { writes: 'partial' }),
    },
    params: { n: d.u32, ...stridedParams(['from', 'to']) },
    workgroups: ({ n }: { readonly n: HostNumber }) => [ceilDiv(n, 256)],
    // where an element goes is for the caller to get right: the host function checks what the view reaches
    guards: 'off',
  } as unknown as KernelDecl<None, None, None>
  return kernel(type === 'f32' ? 'copy' : `copy_${type}`, decl, (view, k) => {
    const { from, to, n } = view as unknown as {
      readonly from: { at(i: Expr<'u32'>): Expr<'f32'> }
      readonly to: { at(i: Expr<'u32'>): { set(value: Expr<'f32'>): void } }
      readonly n: Expr<'u32'>
    }
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(n), () => {
      const [source, target] = placesOf(k, view as never, ['from', 'to'], i) as [Expr<'u32'>, Expr<'u32'>]
      to.at(target).set(from.at(source))
    })
  })
}

export const copies: readonly KernelSource[] = [copyOf('f32'), copyOf('f16'), copyOf('i32')]
