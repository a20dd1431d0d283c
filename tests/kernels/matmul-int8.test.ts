import { paritySuite } from '../parity/harness.js'
import { fullCases, matmulInt8Cases } from './matmul-int8.cases.js'

await paritySuite('kernels: matmul-int8', [...matmulInt8Cases, ...(process.env.WEFT_FULL === '1' ? fullCases : [])])
