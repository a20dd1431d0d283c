export { chooseDecodeSplits } from './choose'
export { type AttentionDecodeArgs, attentionDecode } from './host'
