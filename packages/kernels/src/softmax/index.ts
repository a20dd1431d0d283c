export { chooseSoftmax } from './choose'
export { type SoftmaxArgs, softmax } from './host'
export { logSoftmaxReference, softmaxReference } from './reference'
