/**
 * How far f32 results may be from the float64 reference: bounds of forward error analysis (Higham, "Accuracy and
 * Stability of Numerical Algorithms", 2002, §3.1), from sizes and magnitudes alone.
 */

/** Unit roundoff of f32. */
export const U = 2 ** -24

/** Relative error of a sum of `n` terms one after another, against Σ|terms|. */
export const gamma = (n: number): number => (n * U) / (1 - n * U)

/** `exp` is within 3 + 2|x| ULP (WGSL specification, accuracy of built-in functions). */
export const expError = (range: number): number => (3 + 2 * range) * 2 * U

/** Steps of a row reduction: a part per invocation, then over the workgroup. */
export const rowSteps = (cols: number): number => Math.ceil(cols / 256) + 64
