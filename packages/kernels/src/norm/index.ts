export { type RmsnormArgs, rmsnorm } from './host'
export { rmsnormReference } from './reference'
