import { paritySuite } from '../parity/harness.js'
import { foldedCases } from './folded.cases.js'

await paritySuite('kernels: folded launches', foldedCases)
