import { paritySuite } from '../parity/harness.js'
import { fullCases, gemmCases } from './gemm.cases.js'

await paritySuite('kernels: gemm', [...gemmCases, ...(process.env.WEFT_FULL === '1' ? fullCases : [])])
