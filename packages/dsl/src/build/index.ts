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
export * from './token'
export { each, type Tuple, tuple } from './tuple'
export type {
  AnyExpr,
  Arg,
  ArrayRef,
  ArrayValue,
  AtomicRef,
  Expr,
  Float,
  IndexArg,
  Int,
  Numeric,
  Ref,
  ScalarOf,
  Shape,
  ShapeOf,
  Value,
  ValuesRef,
  VarRef,
  WriteRef,
} from './types'
