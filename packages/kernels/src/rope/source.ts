export { rope, ropeHalf } from './rope'
