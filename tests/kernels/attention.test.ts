import { paritySuite } from '../parity/harness.js'
import { attentionCases, fullCases } from './attention.cases.js'

await paritySuite('kernels: attention', [...attentionCases, ...fullCases])
