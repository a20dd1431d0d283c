export { type BlockWeights, blockEmbedding, blockMatmul, dequantizeBlocks } from './host'
export { BLOCKS, type BlockName } from './layout'
export { packBlocks, unpackBlocks } from './pack'
export { type QuantizeBlocksArgs, quantizeBlocks } from './quantize-host'
