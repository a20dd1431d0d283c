/** The least f32, where the maximum of a row begins: below every score, and finite: LOWEST − LOWEST is 0, where −∞ − (−∞) would be NaN. */
export const LOWEST = -3.4028234663852886e38
