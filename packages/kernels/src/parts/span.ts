/**
 * How wide the rows of a kernel may be. A short row has few elements for 256 invocations, which then wait for each other; with 64
 * of them, four rows are on their way at once where one was. On an H200, softmax of f32, in GB/s: 2,040 and 4,023 over rows of 1,024,
 * 751 and 3,112 over rows of 300.
 */
export type Span = 'any' | 'short'

/** Invocations that take a row. */
export const ROW_INVOCATIONS: Readonly<Record<Span, number>> = { any: 256, short: 64 }

/**
 * Of so few columns a row is no workgroup's: one finds too little to do in it. Sums of 262,144 rows of 4 take 27 µs on an H200 where a
 * workgroup for each takes 370; of 1,000 rows of 5 on SwiftShader 8 ms and 1,680.
 */
export const FEW_COLUMNS = 32

/** Elements of a row that an invocation holds at most. */
export const HELD = 32

/** The widest row that is held. */
export const HELD_COLUMNS = HELD * ROW_INVOCATIONS.any

/** The widest short row. */
export const SHORT_COLUMNS = HELD * ROW_INVOCATIONS.short

export const SPANS: readonly Span[] = ['any', 'short']

export const spanned = (name: string, span: Span): string => (span === 'short' ? `${name}_short` : name)

/**
 * How many neighbours of a row an invocation takes at a time: one, whatever the width of rows, or four where that is a multiple of 4
 * and rows so begin at multiples of a load. A load of one f16 leaves half of what memory can have in flight unused: on an H200, over rows
 * of 8,192, softmax goes from 2,690 to 3,560 GB/s, rmsnorm from 2,970 to 3,770, layernorm from 2,340 to 3,170. Of f32, layernorm gains
 * (3,790 and 3,940), softmax hardly does, and rmsnorm loses (3,880 and 3,650).
 */
export type Width = 1 | 4

/** What kernels over rows are made for. */
export const ROW_FORMS: readonly (readonly [storage: 'f32' | 'f16', width: Width])[] = [
  ['f32', 1],
  ['f16', 1],
  ['f16', 4],
]

/** The name of a kernel that takes so many at a time. */
export const widened = (name: string, width: Width): string => (width === 1 ? name : `${name}_quads`)

type RowType = 'f32' | 'f16'
type BySpan<T> = Readonly<Record<Span, T>>

/** The kernels of a function over rows, by what rows are stored as: of any width, and where it pays of widths that are multiples of four. */
export interface RowKernels<T> extends Readonly<Record<RowType, BySpan<T>>> {
  readonly quads: Readonly<Partial<Record<RowType, BySpan<T>>>>
}

/** So many columns as show whether a kernel is right, of those that such rows go to. */
const TRIAL: Readonly<Record<Width, BySpan<number>>> = {
  1: { short: 77, any: SHORT_COLUMNS + 13 },
  4: { short: 76, any: SHORT_COLUMNS + 12 },
}

/** Bytes of a load of four. */
const LOAD: Readonly<Record<RowType, number>> = { f32: 16, f16: 8 }

/** The kernel for rows of so many columns, and the columns of its trial. `bytes` are the sizes of all buffers, which loads must fill. */
export function forRows<T>(
  kernels: RowKernels<T>,
  cols: number,
  type: RowType,
  bytes: readonly number[],
): { readonly kernel: T; readonly columns: number } {
  const span: Span = cols <= SHORT_COLUMNS ? 'short' : 'any'
  const whole = cols % 4 === 0 && bytes.every((size) => size % LOAD[type] === 0)
  const quads = whole ? kernels.quads[type] : undefined
  return { kernel: (quads ?? kernels[type])[span], columns: TRIAL[quads ? 4 : 1][span] }
}
