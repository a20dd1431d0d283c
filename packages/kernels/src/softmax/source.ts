export { softmax } from './softmax'
