import { paritySuite } from '../parity/harness.js'
import { quantizeCases } from './quantize.cases.js'

await paritySuite('kernels: quantizing', quantizeCases)
