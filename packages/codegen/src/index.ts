/** `@weft/codegen`: kernels to WGSL, bind-group layouts and everything else that a runtime needs. */
export type * from './artifact'
export * from './compile'
export { type Emitted, emit, type Slots } from './emit'
export type * from './executor'
export { PASSES, type Pass, type PassName } from './passes'
export { PROFILES, type Profile, type ProfileName } from './profiles'
