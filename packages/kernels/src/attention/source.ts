export { attention, flashAttention, keyTile } from './flash'
