/** A plain kernel of attention, to read first, and what all of its families share. The function `attention` is in attention-forward/. */
export { attention, flashAttention } from './flash'
export { keyTile } from './flash-plan'
