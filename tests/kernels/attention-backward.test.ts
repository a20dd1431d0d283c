import { paritySuite } from '../parity/harness.js'
import { attentionBackwardCases } from './attention-backward.cases.js'

await paritySuite('kernels: attention backward', attentionBackwardCases)
