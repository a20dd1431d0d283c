export type { BoundTexture, Executable, Executor, Launch } from '../executor'
export { type CpuOptions, cpu } from './cpu'
export { interpret, type Prepared, type PrepareOptions, prepare, type RunOptions } from './prepare'
