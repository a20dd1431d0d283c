import { type Builder, d, type Expr, f32, fn, func, u32 } from '@weft/dsl'
import { gelu, silu } from '../elementwise/functions'
import { read } from '../parts/storage'

/**
 * What follows a product in the same kernel, while the sum is in a register:
 *
 *     c = activation(alpha · Σ + bias) + residual
 *
 * Which activation, and whether there is a bias and a residual, are params: they are the same for the whole dispatch, and
 * stand outside of the inner loop. A binding that is not there is bound to any other input and not read.
 */

interface Source {
  at(i: Expr<'u32'>): Expr<'f32'>
}

/** What the epilogue needs of a kernel's view. */
export interface Epilogue {
  readonly alpha: Expr<'f32'>
  readonly activation: Expr<'u32'>
  readonly with_bias: Expr<'u32'>
  readonly with_residual: Expr<'u32'>
  readonly bias: Source
  readonly residual: Source
}

export const epilogueParams = { activation: d.u32, with_bias: d.u32, with_residual: d.u32 } as const

/** The activation of the number `kind` in ACTIVATIONS; x itself for any other number. */
const activate = func('activate(x, kind)', [f32, u32], (x, kind, k: Builder) => {
  const y = k.var('y', x)
  k.switch(kind, (is) => {
    is.case(1, () => y.set(fn.max(x, 0)))
    is.case(2, () => y.set(gelu(x)))
    is.case(3, () => y.set(silu(x)))
    is.default(() => {})
  })
  return y
})

/** The bias at a place of it, or 0 without one. */
export const biasAt = (k: Builder, { bias, with_bias }: Epilogue, at: () => Expr<'u32'>): Expr<'f32'> =>
  k.when(with_bias.ne(0), () => read(bias.at(at())), 0)

/** activation(alpha · sum + bias) + residual, with the residual at a place of it. */
export function finish(
  k: Builder,
  { alpha, activation, residual, with_residual }: Epilogue,
  sum: Expr<'f32'>,
  bias: Expr<'f32'>,
  residualAt: () => Expr<'u32'>,
): Expr<'f32'> {
  const value = activate(fn.fma(alpha, sum, bias), activation)
  return value.add(k.when(with_residual.ne(0), () => read(residual.at(residualAt())), 0))
}
