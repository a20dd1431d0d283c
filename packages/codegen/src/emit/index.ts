export * from './module'
export { overrideIds } from './overrides'
