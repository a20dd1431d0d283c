import { paritySuite } from '../parity/harness.js'
import { scanCases } from './scan.cases.js'

await paritySuite('kernels: scan', scanCases)
