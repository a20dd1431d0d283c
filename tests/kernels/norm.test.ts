import { paritySuite } from '../parity/harness.js'
import { normCases } from './norm.cases.js'

await paritySuite('kernels: norm', normCases)
