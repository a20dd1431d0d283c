export { type RopeArgs, rope, ropeBackward } from './host'
export { type RopeReferenceArgs, ropeBackwardReference, ropeReference } from './reference'
export { type RopeTableArgs, ropeFrequencies, ropeTable, ropeTableSize } from './table'
