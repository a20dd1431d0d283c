export {
  type DropoutArgs,
  type DropoutBackwardArgs,
  dropout,
  dropoutBackward,
  type SampleArgs,
  type SamplingType,
  sample,
  type TopKArgs,
  topK,
} from './host'
export {
  type DropoutReferenceArgs,
  dropoutReference,
  type SampleReferenceArgs,
  sampleReference,
  sampleWeights,
  type TopKReferenceArgs,
  topKReference,
} from './reference'
