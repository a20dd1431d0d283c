import { paritySuite } from '../parity/harness.js'
import { attentionUnfusedCases, fullCases } from './attention-unfused.cases.js'

await paritySuite('kernels: attention unfused', [...attentionUnfusedCases, ...fullCases])
