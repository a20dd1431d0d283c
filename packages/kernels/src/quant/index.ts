export { type QuantizedMatmulBackwardArgs, quantizedMatmulBackward } from './backward'
export { chooseFewRows, type FewRows, type FewRowsProblem } from './choose'
export {
  dequantize,
  type QuantizedWeights,
  quantizedEmbedding,
  quantizedMatmul,
} from './host'
export {
  affineParams,
  dequantizeWeights,
  type PackedParts,
  type PackedWeights,
  packBytes,
  packNibbles,
  packZeros,
  type QuantizeOptions,
  type QuantParams,
  quantizeWeights,
  symmetricParams,
  unpackBytes,
  unpackNibbles,
  unpackZeros,
  type WordFormat,
  type ZeroPoints,
} from './pack'
export {
  addInt8,
  type DynamicMatmulArgs,
  dynamicMatmul,
  type Int8Tensor,
  type QuantizeArgs,
  quantize,
  reluInt8,
} from './quantize-host'
export {
  addInt8Reference,
  type DynamicMatmulReferenceArgs,
  dynamicMatmulReference,
  quantizeReference,
  reluInt8Reference,
} from './reference'
export { type UploadedParts, type UploadedWeights, uploadWeights } from './upload'
export {
  chooseQuantMatmul,
  type QuantizedMatmulOptions,
  type WeightsAt,
  type WeightsBy,
  type WeightsTo,
} from './weights-host'
