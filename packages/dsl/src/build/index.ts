export type { Builder, Else, RangeOptions } from './builder-types'
export {
  type BindingDecl,
  buffer,
  inout,
  input,
  type Override,
  output,
  override,
  ptr,
  subgroupMatrix,
  texture,
  uniform,
} from './declarations'
export { func } from './func'
export { bitcastTo as bitcast, fn } from './functions'
export { ceilDiv, HostNumber } from './host'
export { type BodyView, type KernelDecl, type KernelOf, kernel, type SignatureOf } from './kernel'
export type { ArrayRef, ArrayValue, AtomicRef, Ref, Shape, ShapeOf, Value, ValuesRef, VarRef, WriteRef } from './shapes'
export * from './token'
export { each, type Tuple, tuple } from './tuple'
export type { AnyExpr, Arg, Expr, Float, IndexArg, Int, Numeric, ScalarOf } from './types'
