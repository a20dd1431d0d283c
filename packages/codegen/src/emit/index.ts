export * from './module'
export { survey, type Survey } from './survey'
