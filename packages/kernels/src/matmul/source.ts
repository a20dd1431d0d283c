import { anyGemvs } from './few'
import { gemvColumns } from './few-columns'
import { gemvLines } from './few-lines'

export { matmulReduce, matmulReduceHalf } from './join'
export { matmulSerial } from './serial'
export { type MatmulKernelOptions, matmulOf, matmuls } from './tiled'

/** Products with few rows. */
export const gemvs = [...anyGemvs, ...gemvLines, ...gemvColumns]
