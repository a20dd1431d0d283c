export { attentionBackwardDkvs } from './dkv'
export { attentionBackwardDqs } from './dq'
export { attentionBackwardRows } from './rows'
