export * from './module'
export { type Survey, survey } from './survey'
