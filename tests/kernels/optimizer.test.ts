import { paritySuite } from '../parity/harness.js'
import { optimizerCases } from './optimizer.cases.js'

await paritySuite('kernels: optimizer', optimizerCases)
