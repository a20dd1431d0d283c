/** `@weft/dsl`: what authors of kernels need. */
export * as d from 'typegpu/data'
export * from './build'
export { WeftError, type Code, type Diagnostic } from './diagnostics'
export type { Kernel, KernelSource, LaunchRule, Position } from './ir'
export type { AddressSpace, Access, MatrixName, ScalarName, ValueName, VectorName } from './types'
