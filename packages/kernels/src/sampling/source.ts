export { dropout, dropoutHalf } from './dropout'
export { sampleRows, sampleRowsHalf } from './sample'
export { topKOrder, topKOrderHalf, topKSelect, topKSelectHalf } from './top-k'
