import { paritySuite } from '../parity/harness.js'
import { attentionBackwardCases, fullCases } from './attention-backward.cases.js'

await paritySuite('kernels: attention backward', [...attentionBackwardCases, ...fullCases])
