import { paritySuite } from '../parity/harness.js'
import { attentionForwardCases } from './attention-forward.cases.js'

await paritySuite('kernels: attention forward', attentionForwardCases)
