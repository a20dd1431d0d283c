import { paritySuite } from '../parity/harness.js'
import { matmulPlainCases } from './matmul-plain.cases.js'

await paritySuite('kernels: matmul-plain', matmulPlainCases)
