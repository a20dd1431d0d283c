import { paritySuite } from '../parity/harness.js'
import { fullCases, matmulFastCases } from './matmul-fast.cases.js'

await paritySuite('kernels: matmul-fast', [...matmulFastCases, ...(process.env.WEFT_FULL === '1' ? fullCases : [])])
