import { paritySuite } from '../parity/harness.js'
import { decodeCases, fullCases } from './decode.cases.js'

await paritySuite('kernels: decode', [...decodeCases, ...fullCases])
