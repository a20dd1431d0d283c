import { paritySuite } from '../parity/harness.js'
import { visionCases } from './vision.cases.js'

await paritySuite('kernels: vision', visionCases)
