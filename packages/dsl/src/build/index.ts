export type { Builder, Else, RangeOptions } from './builder-types'
export {
  type BindingDecl,
  buffer,
  inout,
  input,
  type Override,
  output,
  override,
  type PtrDecl,
  ptr,
  subgroupMatrix,
  texture,
  uniform,
} from './declarations'
export { func } from './func'
export { bitcastTo as bitcast, fn } from './functions'
export { ceilDiv, HostNumber } from './host'
export { type BodyView, type KernelDecl, type KernelOf, kernel, type SignatureOf } from './kernel'
// all that the type of an author's own export may be made of: what has no name here cannot stand in a declaration file
export type {
  ArrayRef,
  ArrayShape,
  ArrayValue,
  Assignable,
  AtomicRef,
  AtomicShape,
  BufferShape,
  BufferViews,
  MatrixShape,
  MatrixValue,
  Ref,
  Settable,
  Shape,
  ShapeOf,
  Storable,
  StructShape,
  Texture,
  TextureShape,
  TypeOf,
  Value,
  ValuesRef,
  VarRef,
  WriteArray,
  WriteRef,
  WriteValue,
} from './shapes'
export * from './token'
export { each, type Tuple, tuple } from './tuple'
export type { AnyExpr, Arg, Expr, Float, IndexArg, Int, Numeric, ScalarOf } from './types'
