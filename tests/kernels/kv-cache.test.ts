import { paritySuite } from '../parity/harness.js'
import { kvCacheCases } from './kv-cache.cases.js'

await paritySuite('kernels: KV cache', kvCacheCases)
