import { atomics } from './cases/atomics.js'
import { memory } from './cases/memory.js'
import { moduleVariables } from './cases/module-variables.js'
import { paritySuite } from './harness.js'

await paritySuite('memory', [...memory, ...moduleVariables, ...atomics])
