export { dropout, dropoutHalf } from './dropout'
export { sampleRows } from './sample'
export { topKOrder, topKOrderHalf, topKSelect, topKSelectHalf } from './top-k'
