import { paritySuite } from '../parity/harness.js'
import { fullCases, gemmFastCases } from './gemm-fast.cases.js'

await paritySuite('kernels: gemm-fast', [...gemmFastCases, ...(process.env.WEFT_FULL === '1' ? fullCases : [])])
