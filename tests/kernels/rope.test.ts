import { paritySuite } from '../parity/harness.js'
import { fullCases, ropeCases } from './rope.cases.js'

await paritySuite('kernels: rope', [...ropeCases, ...fullCases])
