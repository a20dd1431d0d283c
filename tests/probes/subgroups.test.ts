import { subgroupProbes, uniformLoads } from './subgroups.js'
import { probeSuite } from './suite.js'

// the rows of subgroup and quad operations × their types; SwiftShader has subgroups of 4, the interpreter the same here
await probeSuite('subgroup operations', [...subgroupProbes, ...uniformLoads])
