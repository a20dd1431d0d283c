import { paritySuite } from '../parity/harness.js'
import { fullCases, gemmInt8Cases } from './gemm-int8.cases.js'

await paritySuite('kernels: gemm-int8', [...gemmInt8Cases, ...(process.env.WEFT_FULL === '1' ? fullCases : [])])
