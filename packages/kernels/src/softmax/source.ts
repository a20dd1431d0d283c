export { softmaxSerial } from './serial'
export { softmax } from './softmax'
