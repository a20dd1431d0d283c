import { paritySuite } from './harness.js'
import { suites } from './suites.js'

await paritySuite('language: memory', suites.memory)
