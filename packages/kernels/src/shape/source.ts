export { copies } from './copy'
export { gather, gatherHalf, indexSelect, indexSelectHalf, scatterAdd, segmentStarts, segmentSum } from './gather'
