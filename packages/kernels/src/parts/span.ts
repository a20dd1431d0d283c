/**
 * How wide the rows of a kernel may be. A short row has few elements for 256 invocations, which then wait for each other; with 64
 * of them, four rows are on their way at once where one was. On an H200, softmax of f32, in GB/s: 2,040 and 4,023 over rows of 1,024,
 * 751 and 3,112 over rows of 300.
 *
 * Rows by fours that are held have their width as a constant of the pipeline (fixed-row.ts). Wider ones are streamed, by kernels that do
 * nothing else: layernorm of f16 over rows of 11,008 has 3,036 GB/s so, and 2,562 beside what holds rows.
 */
export type Span = 'any' | 'short' | 'fixed' | 'fixed_short' | 'wide'

/** Invocations that take a row. */
export const ROW_INVOCATIONS: Readonly<Record<Span, number>> = {
  any: 256,
  short: 64,
  fixed: 256,
  fixed_short: 64,
  wide: 256,
}

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

/** The kernels for rows one by one, and those for rows by fours. */
export const SPANS = ['any', 'short'] as const satisfies readonly Span[]
export const QUAD_SPANS = ['wide', 'fixed', 'fixed_short'] as const satisfies readonly Span[]

export const spanned = (name: string, span: Span): string => (span === 'any' ? name : `${name}_${span}`)

/**
 * How many neighbours of a row an invocation takes at a time: one, whatever the width of rows, or four where that is a multiple of 4
 * and rows so begin at multiples of a load. A load of one f16 leaves half of what memory can have in flight unused: on an H200, over rows
 * of 8,192, softmax has 2,690 GB/s, rmsnorm 2,970 and layernorm 2,340.
 */
export type Width = 1 | 4

/** What kernels over rows are made for. */
export const ROW_FORMS: readonly (readonly [storage: 'f32' | 'f16', span: Span, width: Width])[] = [
  ...SPANS.flatMap((span) => [['f32', span, 1] as const, ['f16', span, 1] as const]),
  ...QUAD_SPANS.map((span) => ['f16', span, 4] as const),
]

/** The name of a kernel that takes so many at a time. */
export const widened = (name: string, width: Width): string => (width === 1 ? name : `${name}_quads`)

type RowType = 'f32' | 'f16'
type BySpan<T> = Readonly<Record<(typeof SPANS)[number], T>>
type Fours<T> = Readonly<Partial<Record<(typeof QUAD_SPANS)[number], T>>>

/** The kernels of a function over rows, by what rows are stored as: of any width, and where it pays of widths that are multiples of four. */
export interface RowKernels<T> extends Readonly<Record<RowType, BySpan<T>>> {
  readonly quads: Readonly<Partial<Record<RowType, Fours<T>>>>
}

/** Bytes of a load of four. */
const LOAD: Readonly<Record<RowType, number>> = { f32: 16, f16: 8 }

/**
 * The kernel for rows of so many columns, and so many columns as show whether it is right, of those that go to it. `bytes` are the sizes of
 * all buffers, which loads must fill.
 */
export function forRows<T>(
  kernels: RowKernels<T>,
  cols: number,
  type: RowType,
  bytes: readonly number[],
): { readonly kernel: T; readonly columns: number } {
  const short = cols <= SHORT_COLUMNS
  const fours = cols % 4 === 0 && bytes.every((size) => size % LOAD[type] === 0)
  const kernel = fours
    ? kernels.quads[type]?.[short ? 'fixed_short' : cols <= HELD_COLUMNS ? 'fixed' : 'wide']
    : undefined
  if (!kernel) return { kernel: kernels[type][short ? 'short' : 'any'], columns: short ? 77 : SHORT_COLUMNS + 13 }
  return { kernel, columns: short ? 76 : (cols <= HELD_COLUMNS ? SHORT_COLUMNS : HELD_COLUMNS) + 12 }
}
