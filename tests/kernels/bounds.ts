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
export const rowSteps = (cols: number, invocations = 256): number => Math.ceil(cols / invocations) + 64

/** Times that the sum of a row which is too wide to be held is scaled, as its maximum rises: once for up to eight elements. */
export const rescales = (cols: number): number => (cols > 8192 ? Math.ceil(cols / 2048) + 8 : 0)

/** How far scores, weights and outputs may be off, for |q|, |k|, |v| ≤ 1. */
export function attentionError(headSize: number, keys: number, largest: number, cap = 0) {
  const scale = headSize ** -0.5
  // a product of scaled q and k over the head; tanh within 1e-5 (WGSL), behind a division and before a product
  const product = gamma(headSize + 4) * headSize * scale
  const score = product + (cap ? cap * (1e-5 + 8 * U) : 0) + 2 * largest * U
  const sum = gamma(keys + Math.ceil(keys / 8) + 8)
  return { score, weight: score + expError(2 * largest) + sum }
}
