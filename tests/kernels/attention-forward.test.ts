import { paritySuite } from '../parity/harness.js'
import { attentionForwardCases, fullCases } from './attention-forward.cases.js'

await paritySuite('kernels: attention forward', [...attentionForwardCases, ...fullCases])
