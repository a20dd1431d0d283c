import { branches } from './cases/branches.js'
import { functions } from './cases/functions.js'
import { jumps } from './cases/jumps.js'
import { loops } from './cases/loops.js'
import { time } from './cases/time.js'
import { variables } from './cases/variables.js'
import { paritySuite } from './harness.js'

await paritySuite('statements', [...branches, ...loops, ...jumps, ...variables, ...time, ...functions])
