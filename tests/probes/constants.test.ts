import { constantProbe, expectedOf, pureProbes } from './pure.js'
import { probeSuite } from './suite.js'

// the same on constants, which Tint and naga evaluate
await probeSuite(
  'pure operations on constants',
  pureProbes.flatMap((probe) => {
    const constants = constantProbe(probe)
    return constants ? [expectedOf(constants, 'constant')] : []
  }),
)
