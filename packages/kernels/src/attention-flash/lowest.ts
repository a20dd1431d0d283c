/**
 * Where the running maximum of a softmax starts, and the logarithm of the sum of nothing: below every score, and finite, so that
 * LOWEST − LOWEST is 0, where −∞ − (−∞) would be NaN.
 */
export const LOWEST = -3e38
