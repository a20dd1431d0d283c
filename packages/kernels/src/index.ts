/**
 * `@weft/kernels`: host functions that run the library's compiled kernels on a runtime, and their references in plain
 * TypeScript with float64 accumulation. Shapes, errors and numerics are with each function.
 */
export { type AttentionArgs, attention } from './attention/host'
export { attentionReference } from './attention/reference'
export type { HostOptions } from './host'
export { chooseMatmul, type MatmulForm } from './matmul/choose'
export { type MatmulArgs, matmul } from './matmul/host'
export { matmulReference } from './matmul/reference'
export { type RmsnormArgs, rmsnorm } from './rmsnorm/host'
export { rmsnormReference } from './rmsnorm/reference'
export { type SaxpyArgs, saxpy } from './saxpy/host'
export { saxpyReference } from './saxpy/reference'
export { type ScanArgs, type ScanOptions, scan } from './scan/host'
export { SCAN_BLOCK } from './scan/plan'
export { scanReference } from './scan/reference'
export { type SoftmaxArgs, softmax } from './softmax/host'
export { logSoftmaxReference, softmaxReference } from './softmax/reference'
