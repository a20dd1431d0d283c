import { paritySuite } from '../parity/harness.js'
import { quantCases } from './quant.cases.js'

await paritySuite('kernels: quant', quantCases)
