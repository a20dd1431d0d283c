import { paritySuite } from '../parity/harness.js'
import { normsCases } from './norms.cases.js'

await paritySuite('kernels: norms', normsCases)
