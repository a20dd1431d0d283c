import { paritySuite } from '../parity/harness.js'
import { shapeCases } from './shape.cases.js'

await paritySuite('kernels: shape', shapeCases)
