import { paritySuite } from '../parity/harness.js'
import { rowsCases } from './rows.cases.js'

await paritySuite('kernels: rows', rowsCases)
