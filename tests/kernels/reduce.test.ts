import { paritySuite } from '../parity/harness.js'
import { reduceCases } from './reduce.cases.js'

await paritySuite('kernels: reduce', reduceCases)
