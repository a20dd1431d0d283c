import { expressions } from './cases/expressions.js'
import { half } from './cases/half.js'
import { subgroupCases } from './cases/subgroups.js'
import { textures } from './cases/textures.js'
import { paritySuite } from './harness.js'

await paritySuite('values', [...expressions, ...half, ...subgroupCases, ...textures])
