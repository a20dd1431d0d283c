export { attention, flashAttention } from './flash'
export { keyTile } from './flash-plan'
