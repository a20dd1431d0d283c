export { dropout, dropoutHalf } from './dropout'
export { sampleRows } from './sample'
export { topKOrder, topKOrderHalf, topKSelect, topKSelectHalf, topKShorts } from './top-k'
