import { paritySuite } from '../parity/harness.js'
import { kernelCases } from './cases.js'

await paritySuite('kernels of the library', kernelCases)
