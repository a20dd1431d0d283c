import type { ValueName } from '../types'
import { bitcast } from './apply'
import { builtinFunctions } from './methods'
import type { Functions } from './signatures'
import type { Token } from './token'
import type { TypeTable } from './type-table'
import type { AnyExpr, Expr } from './types'

/** Functions with two results. */
interface Pairs {
  /** `x = fract · 2^exp`, with |fract| in [0.5, 1). */
  frexp<T extends ValueName>(x: Expr<T>): { readonly fract: Expr<T>; readonly exp: Expr<TypeTable[T]['i32']> }
  /** The fraction and the whole part of x, both with the sign of x. */
  modf<T extends ValueName>(x: Expr<T>): { readonly fract: Expr<T>; readonly whole: Expr<T> }
}

/** The built-in functions of WGSL. A JavaScript number takes the type of its partner: `fn.max(x, 0)`. */
export const fn = builtinFunctions as unknown as Functions & Pairs

/** The same bits as another type of the same size: `bitcast(u32, x)`. */
export const bitcastTo = <T extends ValueName>(to: Token<T>, x: AnyExpr): Expr<T> =>
  bitcast(to.type, x) as unknown as Expr<T>
