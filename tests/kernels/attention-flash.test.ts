import { paritySuite } from '../parity/harness.js'
import { attentionFlashCases } from './attention-flash.cases.js'

await paritySuite('kernels: attention-flash', attentionFlashCases)
