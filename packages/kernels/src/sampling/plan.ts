/** The greatest number of columns: what sums of 14-bit halves of weights allow, and what three digits of a place allow. */
export const SAMPLE_COLS = 2 ** 18
export const TOP_K_COLS = 2 ** 24

/**
 * Whether an invocation draws from a row, in place of a workgroup. On an H200, launch and all, a draw from each of 262,144 rows of 4 takes
 * 34 µs (3,820), of 4,096 rows of 16 54 µs (85), of 4,096 rows of 32 145 µs (85); on SwiftShader, of 1,000 rows of 5, 2 ms (10,500).
 */
export const isFewToDraw = (cols: number, { software }: { readonly software: boolean }): boolean =>
  cols <= (software ? 64 : 16)

/**
 * Whether an invocation finds the k greatest of a row, in place of a workgroup. On an H200, the greatest 4 of each of 262,144 rows of 4 take
 * 30 µs (6,300), of 4,096 rows of 64 57 µs (155), of 64 rows of 64 58 µs (58).
 */
export const isFewToRank = (cols: number, k: number): boolean => cols <= 64 && k * cols <= 256

/** A weight has 28 bits, in halves that sum up without a carry. */
export const HALF_BITS = 14
/** 2⁻ᵗ = (65535 − t·(C₁ − t·(C₂ − t·(C₃ − t·C₄)))) / 2¹⁶ for t in [0, 1), in products of 16 × 16 bits (least squares). */
export const POWER = [45421, 15698, 3496, 452] as const
/** The weight of the greatest logit: 65535 · 2¹². */
export const WEIGHT_SHIFT = 12
/** So many halvings leave nothing of a weight. */
const HALVINGS = 28

/**
 * Temperatures beyond these are as these: below, only equals of the greatest are left, and subnormal numbers, which a device may take
 * for 0, would decide; above, everything is as likely as everything.
 */
const [COLDEST, HOTTEST] = [2 ** -60, 2 ** 100]

/**
 * What the kernel knows of a temperature > 0, rounded to f32 once, for everybody: a logit `gap` below the greatest has gap · scale
 * as its distance in 2⁻¹⁶ of a halving, and one that is `reach` or more below has no weight.
 */
export function temperatureParams(temperature: number): { readonly scale: number; readonly reach: number } {
  const halving = Math.min(Math.max(temperature, COLDEST), HOTTEST) * Math.LN2
  return { scale: Math.fround(65_536 / halving), reach: Math.fround(HALVINGS * halving) }
}

/** As `top_p`: no limit. */
export const WHOLE = 0xffff_ffff

/** A part of 1 in 2⁻³². */
export const partOf = (p: number): number => (p >= 1 ? WHOLE : Math.min(Math.floor(p * 2 ** 32), WHOLE - 1))

/** How a row is drawn from: see `sample`. */
export interface SampleChoice {
  readonly temperature?: number
  readonly topK?: number
  readonly topP?: number
}

/** What the kernel knows of it. A temperature of 0 is the greatest logit alone, which top-k knows. */
export function choiceParams({ temperature = 1, topK = WHOLE, topP = 1 }: SampleChoice) {
  const greedy = temperature === 0
  return { ...temperatureParams(greedy ? 1 : temperature), top_k: greedy ? 1 : topK, top_p: partOf(topP) }
}
