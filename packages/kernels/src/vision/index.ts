export { type BatchNormArgs, batchNorm } from './batch-norm-host'
export {
  type Conv1dArgs,
  type Conv2dArgs,
  type Conv2dInt8Args,
  type ConvTranspose2dArgs,
  conv1d,
  conv2d,
  conv2dInt8,
  convTranspose2d,
} from './conv-host'
export { avgPool2d, maxPool2d, type Pool2dArgs } from './pool-host'
export {
  adaptiveAvgPool2dReference,
  avgPool2dReference,
  batchNormReference,
  conv2dReference,
  convTranspose2dReference,
  gridSampleReference,
  maxPool2dReference,
  transposedSize,
  upsampleBilinearReference,
  upsampleNearestReference,
  type Window,
  windowedSize,
} from './reference'
export {
  adaptiveAvgPool2d,
  type GridSampleArgs,
  gridSample,
  type ResizeArgs,
  upsampleBilinear2d,
  upsampleNearest2d,
} from './resample-host'
export type { VisionType } from './window-host'
