export type { ValidateOptions } from './context'
export * from './features'
export { DEFAULT_LIMITS, type Limits, WGSL_LIMITS } from './limits'
export * from './validate'
