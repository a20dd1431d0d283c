/** `@weft/dsl`: what authors of kernels need. */
export * as d from 'typegpu/data'
export * from './build'
export { type Code, type Diagnostic, WeftError } from './diagnostics'
export type { Kernel, KernelSource, LaunchRule, Position } from './ir'
export type { Access, AddressSpace, MatrixName, ScalarName, ValueName, VectorName } from './types'
