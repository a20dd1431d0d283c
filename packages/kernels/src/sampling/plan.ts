/** The greatest number of columns: what sums of 14-bit halves of weights allow, and what three digits of a place allow. */
export const SAMPLE_COLS = 2 ** 18
export const TOP_K_COLS = 2 ** 24
/** The widest row that one invocation takes: for a workgroup there is too little to do in it. */
export const SHORT_COLS = 32

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
