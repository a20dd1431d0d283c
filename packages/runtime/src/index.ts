export type { Arena, ArenaOptions } from './arena'
export type { BindGroupStats, PipelineStats } from './backend'
export type { Batch } from './batch'
export { type BufferLike, type BufferRange, DeviceBuffer, type ReadAll, type ReadRange } from './buffer'
export type { ArrayType, HostBytes } from './bytes'
export { createRuntime, type RuntimeOptions } from './create'
export { type Diagnostic, isWeftError, type Position, WeftError } from './errors'
export type { LaunchExplanation } from './explain'
export { evaluateHost, type HostScope } from './host'
export type { RuntimeInfo } from './info'
export { fold, planLaunch, type Workgroups } from './launch'
export type { ObservedBinding, ObservedDispatch, ObservedMemory, Observer, Peek, Transfer } from './observer'
export { Packer } from './params'
export type { HeapOptions } from './pool/heap'
export type { BufferStats, Leak } from './pool/leases'
export type { PoolStats } from './pool/pool'
export type { PreparedDispatch } from './prepared'
export type { Reading, Recorder } from './recorder'
export type { Recording, Values } from './recording'
export type { Runtime } from './runtime'
export type {
  Arguments,
  BufferOptions,
  Launcher,
  ParamValue,
  PrepareOptions,
  RunOptions,
  RuntimeStats,
  Signature,
  SomeBindings,
  SomeParams,
  TextureLike,
  TypedKernel,
} from './signature'
export { type Choice, type ChoiceOptions, type DeviceFacts, selectVariant } from './variant'
export type { DeviceOptions } from './webgpu/open'
