export { attentionWeights, attentionWeightsHalf } from './weights'
