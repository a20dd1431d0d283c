export { dequantize, type QuantizedWeights, quantizedEmbedding, quantizedMatmul } from './host'
export {
  affineParams,
  dequantizeWeights,
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
} from './pack'
export { chooseQuantMatmul, type WeightsAt, type WeightsBy, type WeightsTo } from './weights-host'
