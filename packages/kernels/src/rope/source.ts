export { ropeQkv, ropeQkvHalf } from './qkv'
export { rope, ropeHalf } from './rope'
