import { paritySuite } from '../parity/harness.js'
import { ropeCases } from './rope.cases.js'

await paritySuite('kernels: rope', ropeCases)
