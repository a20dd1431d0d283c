/** `@weft/kernels/source`: the kernels as DSL values, and the factories that specialize them. */
export * from './attention/source'
export * from './elementwise/source'
export * from './matmul/source'
export * from './norm/source'
export { MAX, REDUCE_VARIANTS, SUM, workgroupReduce } from './parts/reduce'
export * from './saxpy/source'
export * from './scan/source'
export * from './softmax/source'
