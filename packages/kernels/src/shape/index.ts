export { type CopyArgs, copy, type MovedType, type Place } from './copy-host'
export {
  embedding,
  embeddingBackward,
  gather,
  type IndexedArgs,
  indexSelect,
  type ScatterAddArgs,
  scatterAdd,
} from './index-host'
export {
  type ConcatenateArgs,
  concatenate,
  expand,
  flip,
  type HeadsArgs,
  mergeHeads,
  type PixelShuffleArgs,
  pad,
  permute,
  pixelShuffle,
  repeat,
  slice,
  splitHeads,
} from './moves'
export {
  type CopyReferenceArgs,
  copyReference,
  gatherReference,
  type IndexArgs,
  indexSelectReference,
  scatterAddReference,
} from './reference'
