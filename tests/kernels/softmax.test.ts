import { paritySuite } from '../parity/harness.js'
import { softmaxCases } from './softmax.cases.js'

await paritySuite('kernels: softmax', softmaxCases)
