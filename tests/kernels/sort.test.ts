import { paritySuite } from '../parity/harness.js'
import { sortCases } from './sort.cases.js'

await paritySuite('kernels: sort', sortCases)
