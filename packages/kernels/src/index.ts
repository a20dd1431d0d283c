/**
 * `@weft/kernels`: host functions that run the library's compiled kernels on a runtime, and their references in plain
 * TypeScript with float64 accumulation. Shapes, errors and numerics are with each function.
 */
export * from './attention'
export * from './attention-backward'
export * from './attention-forward'
export * from './attention-unfused'
export * from './blocks'
export * from './decode'
export * from './elementwise'
export * from './gemm'
export * from './gemm-fast'
export * from './gemm-int8'
export type { ChoiceOptions, HostOptions } from './host'
