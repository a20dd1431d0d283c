export * from './module'
export { overrideIds } from './overrides'
export { type Survey, survey } from './survey'
