import { aliases } from './cases/aliases.js'
import { launches } from './cases/launch.js'
import { layouts } from './cases/layouts.js'
import { params } from './cases/params.js'
import { paritySuite } from './harness.js'

await paritySuite('interface', [...params, ...launches, ...layouts, ...aliases])
