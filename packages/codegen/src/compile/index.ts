export { type Compiled, compile } from './compile'
export type { CompileOptions } from './options'
