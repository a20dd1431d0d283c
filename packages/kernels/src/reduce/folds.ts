import { type Expr, fn, u32 } from '@weft/dsl'
import { MAX, MIN, type Reduction, SUM } from '../parts/reduce'

/** How the elements along an axis become one value: a start, what each element adds to it, and how two parts join. */
export interface Fold<Seen extends 'f32' | 'u32' = 'f32' | 'u32'> {
  readonly name: string
  readonly doc: string
  readonly seen: Seen
  readonly start: number
  readonly element: (x: Expr<Seen>) => Expr<Seen>
  readonly join: Reduction
  /** Multiplied by the param `scale` at the end: 1, or 1 / n for a mean. */
  readonly scaled: boolean
}

const float = (
  name: string,
  doc: string,
  start: number,
  join: Reduction,
  element: (x: Expr<'f32'>) => Expr<'f32'>,
  scaled: boolean,
): Fold<'f32'> => ({ name, doc, seen: 'f32', start, join, element, scaled })

export const FLOAT_FOLDS: readonly Fold<'f32'>[] = [
  float('sum', 'scale · Σ x: a sum, or a mean with scale = 1 / n', 0, SUM, (x) => x, true),
  float('sum_squares', 'scale · Σ x²', 0, SUM, (x) => x.mul(x), true),
  float('min', 'the least x', Number.POSITIVE_INFINITY, MIN, (x) => x, false),
  float('max', 'the greatest x', Number.NEGATIVE_INFINITY, MAX, (x) => x, false),
]

const truth = (x: Expr<'u32'>): Expr<'u32'> => fn.min(x, u32(1))

export const BOOL_FOLDS: readonly Fold<'u32'>[] = [
  { name: 'any', doc: '1 where some x is not 0', seen: 'u32', start: 0, element: truth, join: MAX, scaled: false },
  { name: 'all', doc: '1 where no x is 0', seen: 'u32', start: 1, element: truth, join: MIN, scaled: false },
]
