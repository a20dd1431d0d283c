/**
 * How wide the rows of a kernel may be. A short row has few elements for 256 invocations, which then wait for each other; with 64
 * of them, four rows are on their way at once where one was. On an H200, softmax of f32, in GB/s: 2,040 and 4,023 over rows of 1,024,
 * 751 and 3,112 over rows of 300.
 */
export type Span = 'any' | 'short'

/** Invocations that take a row. */
export const ROW_INVOCATIONS: Readonly<Record<Span, number>> = { any: 256, short: 64 }

/** Elements of a row that an invocation holds at most. */
export const HELD = 32

/** The widest row that is held. */
export const HELD_COLUMNS = HELD * ROW_INVOCATIONS.any

/** The widest short row. */
export const SHORT_COLUMNS = HELD * ROW_INVOCATIONS.short

export const SPANS: readonly Span[] = ['any', 'short']

export const spanned = (name: string, span: Span): string => (span === 'short' ? `${name}_short` : name)

/** The kernel for rows of so many columns. */
export const forColumns = <T>(kernels: Readonly<Record<Span, T>>, cols: number): T =>
  kernels[cols <= SHORT_COLUMNS ? 'short' : 'any']

/** So many columns as show whether a kernel is right, of those that such rows go to. */
export const trialColumns = (cols: number): number => (cols <= SHORT_COLUMNS ? 77 : SHORT_COLUMNS + 13)
