import { paritySuite } from '../parity/harness.js'
import { matmulCases } from './matmul.cases.js'

await paritySuite('kernels: matmul', matmulCases)
