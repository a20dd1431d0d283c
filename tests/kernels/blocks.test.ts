import { paritySuite } from '../parity/harness.js'
import { blocksCases } from './blocks.cases.js'

await paritySuite('kernels: blocks', blocksCases)
