/** Logits that a workgroup of the gradient of cross-entropy takes. */
export const CROSS_TILE = 2048
