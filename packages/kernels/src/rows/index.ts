export {
  type CrossEntropyArgs,
  type CrossEntropyBackwardArgs,
  crossEntropy,
  crossEntropyBackward,
  type LogSoftmaxArgs,
  logSoftmax,
  logSoftmaxBackward,
  type MeanSquaredErrorArgs,
  meanSquaredError,
  type RowType,
  type SoftmaxGradientArgs,
  softmaxBackward,
} from './host'
export {
  type CrossEntropyReferenceArgs,
  crossEntropyBackwardReference,
  crossEntropyReference,
  logSoftmaxBackwardReference,
  meanSquaredErrorReference,
  type SoftmaxBackwardArgs,
  softmaxBackwardReference,
} from './reference'
