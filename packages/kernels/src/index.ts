/**
 * `@weft/kernels`: host functions that run the library's compiled kernels on a runtime, and their references in plain
 * TypeScript with float64 accumulation. Shapes, errors and numerics are with each function.
 */
export * from './attention'
export * from './attention-forward'
export * from './decode'
export * from './elementwise'
export * from './gemm'
export type { HostOptions } from './host'
export * from './kv-cache'
export * from './matmul'
export * from './norm'
export * from './norms'
export * from './optimizer'
export * from './reduce'
export * from './rope'
export * from './rows'
export * from './saxpy'
export * from './scan'
export * from './shape'
export * from './softmax'
export * from './sort'
export * from './vision'
