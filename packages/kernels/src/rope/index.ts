export { type RopeArgs, rope, ropeBackward } from './host'
export { type ProjectQkvArgs, projectQkv, type RopeQkvArgs, ropeQkv } from './qkv-host'
export {
  type RopeQkvReferenceArgs,
  type RopeReferenceArgs,
  ropeBackwardReference,
  ropeQkvReference,
  ropeReference,
} from './reference'
export { type RopeTableArgs, ropeFrequencies, ropeTable, ropeTableSize } from './table'
