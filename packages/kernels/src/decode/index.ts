export { chooseDecodeSplits, chooseDecodeStream, type DecodeForm } from './choose'
export { type AttentionDecodeArgs, attentionDecode } from './host'
