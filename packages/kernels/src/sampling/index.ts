export {
  type DropoutArgs,
  type DropoutBackwardArgs,
  dropout,
  dropoutBackward,
  type SampleArgs,
  type SamplingType,
  sample,
  sampleChoices,
  type TopKArgs,
  topK,
} from './host'
export type { SampleChoice } from './plan'
export {
  type DropoutReferenceArgs,
  dropoutReference,
  type SampleReferenceArgs,
  sampleReference,
  sampleWeights,
  type TopKReferenceArgs,
  topKReference,
} from './reference'
