import { paritySuite } from '../parity/harness.js'
import { saxpyCases } from './saxpy.cases.js'

await paritySuite('kernels: saxpy', saxpyCases)
