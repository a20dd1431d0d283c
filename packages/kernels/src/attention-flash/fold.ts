import { type Expr, each, tuple } from '@weft/dsl'

/** `step(n - 1, … step(1, step(0)))`. */
export function sumOver(
  n: number,
  step: (g: ReturnType<typeof each>[number], before: Expr<'vec4f'> | null) => Expr<'vec4f'>,
): Expr<'vec4f'> {
  let sum: Expr<'vec4f'> | null = null
  for (const g of each(n)) sum = step(g, sum)
  return sum as unknown as Expr<'vec4f'>
}

/** A balanced tree over the values of `of(0) … of(n - 1)`. */
export function pairwise(
  n: number,
  of: (j: ReturnType<typeof each>[number]) => Expr<'f32'>,
  combine: (a: Expr<'f32'>, b: Expr<'f32'>) => Expr<'f32'>,
): Expr<'f32'> {
  const tree = (list: readonly Expr<'f32'>[]): Expr<'f32'> => {
    const [only] = list
    if (list.length === 1 && only) return only
    const half = Math.ceil(list.length / 2)
    return combine(tree(list.slice(0, half)), tree(list.slice(half)))
  }
  return tree(tuple(n, of).slice(0, n))
}
