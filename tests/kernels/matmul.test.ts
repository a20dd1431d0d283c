import { paritySuite } from '../parity/harness.js'
import { fullCases, matmulCases } from './matmul.cases.js'

await paritySuite('kernels: matmul', [...matmulCases, ...(process.env.WEFT_FULL === '1' ? fullCases : [])])
