export { attentionBackwardDkvs } from './dkv'
export { attentionBackwardDqs } from './dq'
export { attentionBackwardRows, attentionBackwardRowsHalf } from './rows'
