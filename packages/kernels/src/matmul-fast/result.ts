import { type Builder, bool, type Expr, u32 } from '@weft/dsl'
import { biasAt, type Epilogue, finish } from '../matmul/epilogue'
import { read } from '../parts/storage'
import type { Numbers, Sums, U32 } from './numbers'
import { RESIDUAL } from './options'
import type { Task } from './order'

/** The words of c, of `wide` elements each: its rows, and where they begin, are whole words. */
export interface Words<W> {
  /** Where a word is, by its row and first column within the tile; for those that are in c. */
  readonly at: (row: U32, col: U32) => U32
  readonly isInside: (row: U32, col: U32) => Expr<'bool'>
  /** `set` for a word of the tile, where it is in c. */
  readonly put: (row: U32, col: U32, word: () => W) => void
}

export function wordsOf<W>(
  k: Builder,
  view: Sums & { readonly c: { at(i: U32): { set(value: W): void } } },
  task: Task,
  wide: number,
): Words<W> {
  const first = u32`${view.c_offset} + ${task.z} * ${view.c_batch} + ${task.row} * ${view.c_row} + ${task.col}`
  const { first_word, row_words } = k.let({ first_word: first.div(wide), row_words: view.c_row.div(wide) })
  const { rows_left, cols_left } = k.let({ rows_left: view.m.sub(task.row), cols_left: view.n.sub(task.col) })
  const at = (row: U32, col: U32): U32 => u32`${first_word} + ${row} * ${row_words} + ${col} / ${wide}`
  const isInside = (row: U32, col: U32): Expr<'bool'> => bool`${row} < ${rows_left} && ${col} < ${cols_left}`
  return {
    at,
    isInside,
    put: (row, col, word) =>
      k.if(isInside(row, col), () => view.c.at(at(row, col)).set(word())) as unknown as undefined,
  }
}

/** What may follow a product: activation(alpha · sum + bias) + residual, of single elements by their row and column within the tile. */
export interface Finish {
  /** Whether only alpha follows: the same for the whole dispatch. */
  readonly isPlain: Expr<'bool'>
  readonly of: (row: U32, col: U32, sum: Expr<'f32'>) => Expr<'f32'>
}

/** `held` reads an element that c holds so far. */
export function finishOf(k: Builder, view: Numbers, task: Task, held: (row: U32, col: U32) => Expr<'f32'>): Finish {
  const { alpha, activation, with_bias, with_residual, bias } = view
  const first = k.let('residual_first', u32`${view.residual_offset} + ${task.z} * ${view.residual_batch}`)
  return {
    isPlain: k.let('is_plain', activation.bitOr(with_bias).bitOr(with_residual).eq(0)),
    of: (row, col, sum) => {
      const from = {
        at: (i: U32) =>
          k.when(
            with_residual.eq(RESIDUAL.result),
            () => held(row, col),
            () => read(view.residual.at(i)),
          ),
      }
      const after: Epilogue = { alpha, activation, with_bias, with_residual, bias, residual: from }
      const at = () => u32`${first} + (${task.row} + ${row}) * ${view.residual_row} + ${task.col} + ${col}`
      return finish(
        k,
        after,
        sum,
        biasAt(k, after, () => u32`${view.bias_offset} + ${task.col} + ${col}`),
        at,
      )
    },
  }
}
