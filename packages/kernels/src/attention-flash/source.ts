/** Flash attention in its plain form, to read first, and what all families of attention share. The function `attention` is in attention/. */
export { attention, flashAttention } from './flash'
export { keyTile } from './flash-plan'
