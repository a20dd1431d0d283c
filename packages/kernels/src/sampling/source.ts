export { dropout, dropoutHalf } from './dropout'
export { sampleRows } from './sample'
export { topKFew, topKFewHalf, topKOrder, topKOrderHalf, topKSelect, topKSelectHalf } from './top-k'
