/** `@weft/codegen`: kernels to WGSL, bind-group layouts and everything else that a runtime needs. */
// what artifacts and errors are made of, for those who take them as data
export type { Code, CostRule, Diagnostic, HostExpr, HostOp, LaunchRule, Position } from '@weft/dsl/ir'
export type * from './artifact'
export * from './compile'
export { type Emitted, emit, type Slots } from './emit'
export type * from './executor'
export type { PassName } from './passes'
export { PROFILES, type Profile, type ProfileName } from './profiles'
