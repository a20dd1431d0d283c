import { paritySuite } from '../parity/harness.js'
import { elementwiseCases } from './elementwise.cases.js'

await paritySuite('kernels: elementwise', elementwiseCases)
