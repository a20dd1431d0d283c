import { expectedOf, pureProbes } from './pure.js'
import { probeSuite } from './suite.js'

// every row of the table of pure ops × every type of its `over`, with arguments from memory
await probeSuite(
  'pure operations',
  pureProbes.map((probe) => expectedOf(probe, 'run time')),
)
