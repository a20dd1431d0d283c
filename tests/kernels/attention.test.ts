import { paritySuite } from '../parity/harness.js'
import { attentionCases } from './attention.cases.js'

await paritySuite('kernels: attention', attentionCases)
