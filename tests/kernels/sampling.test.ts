import { paritySuite } from '../parity/harness.js'
import { fullCases, samplingCases } from './sampling.cases.js'

await paritySuite('kernels: sampling', [...samplingCases, ...fullCases])
