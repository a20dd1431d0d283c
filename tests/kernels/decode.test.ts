import { paritySuite } from '../parity/harness.js'
import { decodeCases } from './decode.cases.js'

await paritySuite('kernels: decode', decodeCases)
