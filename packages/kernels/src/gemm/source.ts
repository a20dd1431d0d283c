import { anyGemvs } from './few'
import { gemvColumns } from './few-columns'
import { gemvLines } from './few-lines'

export { gemmReduce, gemmReduceHalf } from './join'
export { gemmSerial } from './serial'
export { type GemmOptions, gemmOf, gemms } from './tiled'

/** Products with few rows. */
export const gemvs = [...anyGemvs, ...gemvLines, ...gemvColumns]
