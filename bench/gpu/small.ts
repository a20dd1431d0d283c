/** Whether the sizes are to be such that a software adapter manages them: to try the bench, not to measure. */
export const SMALL = process.env.WEFT_BENCH_SMALL === '1'
