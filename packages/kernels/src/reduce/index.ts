export { type ReduceArgs, type ReduceOp, reduce } from './host'
export { type ReduceReferenceArgs, reduceFunctions, reduceReference } from './reference'
