import type { ValueName } from '../types'
import type {
  ArrayRef,
  ArrayValue,
  AtomicRef,
  MatrixShape,
  MatrixValue,
  Ref,
  Settable,
  Shape,
  ShapeOf,
  Storable,
  TypeOf,
  Value,
  ValuesRef,
  VarRef,
} from './shapes'
import type { SubgroupOps } from './signatures'
import type { AnyExpr, Arg, Expr, IndexArg, Int } from './types'

type AnyArray = { readonly length: Expr<'u32'>; at(index: IndexArg): unknown }
type Test = Expr<'bool'>

/** The variable that a first value, a type token or a schema declares. */
type VarOf<I> = I extends Expr<infer T> ? VarRef<T> : Ref<ShapeOf<I>>
/** The value of a place: what it was, and no longer a place. */
type LetOf<I> = I extends AnyExpr & { readonly type: infer T extends ValueName }
  ? Expr<T>
  : I extends ArrayRef<infer E>
    ? ArrayValue<E>
    : I extends Settable<never>
      ? { readonly [K in keyof I as K extends 'set' ? never : K]: LetOf<I[K]> }
      : I

type Nested<E extends Shape, N extends readonly unknown[]> = N extends readonly [unknown, ...infer R]
  ? { readonly array: Nested<E, R> }
  : E

export interface Else {
  else(body: () => void): void
  elseIf(test: Test | (() => Test), body: () => void): Else
}

export interface Cases {
  case(selectors: number | readonly number[], body: () => void): void
  default(body: () => void): void
}

export interface RangeOptions {
  /**
   * `true` asks for the loop to be written out, which takes a number of rounds that is known: constant bounds, or from
   * `k.localIndex` in steps that all invocations take equally often; above 256 rounds, or 4,096 statements in all, it stays
   * a loop, as `explain` says. A number asks for so many rounds at a time where the
   * number of rounds is not known, and the rest one by one: what they load is then under way at once, since compilers
   * write out the loop over these few. Worth it in short bodies that load; not where the body breaks.
   */
  readonly unroll?: boolean | number
}

/** Builds the statements of a kernel or function, in the order of the calls. */
export interface Builder extends SubgroupOps {
  /** Names a value: it is computed here, once. */
  let<T extends ValueName>(name: string, value: Expr<T>): Expr<T>
  let<I extends object>(name: string, value: I): LetOf<I>
  let<R extends Readonly<Record<string, AnyExpr>>>(values: R): { readonly [K in keyof R]: LetOf<R[K]> }
  /** A variable with a first value, or of a type (`f32`, `d.arrayOf(d.f32, 4)`) and zero. */
  var<T extends ValueName>(name: string, init: Expr<T>): VarRef<T>
  var<I>(name: string, init: I): VarOf<I>
  var<R extends Readonly<Record<string, unknown>>>(inits: R): { readonly [K in keyof R]: VarOf<R[K]> }
  /** Memory shared by the workgroup, zero at the start; with counts, an array: `k.workgroup('tile', f32, 16, 64)`. */
  workgroup<T extends ValueName>(name: string, type: { readonly type: T }, count: number): ValuesRef<T>
  workgroup<S, N extends readonly (number | Expr<'u32'> | Expr<'i32'>)[]>(
    name: string,
    schema: S,
    ...counts: N
  ): Ref<Nested<Extract<ShapeOf<S>, Shape>, N>>
  /** A variable of the invocation at module scope: functions see it. */
  private<I>(name: string, init: I): VarOf<I>
  /** A table at module scope. */
  const<S>(name: string, schema: S, values: ArrayLike<number>): number extends 0 ? never : ConstOf<S>

  if(test: Test, then: () => void): Else
  if(test: Test, then: () => void, otherwise: () => void): void
  switch(selector: Expr<'i32'> | Expr<'u32'>, build: (cases: Cases) => void): void
  /** `for index from start (0) while below end by step (1)`. Bounds are evaluated once. */
  range(name: string, end: IndexArg, body: (index: Expr<'u32'>) => void, options?: RangeOptions): void
  range(
    name: string,
    start: Arg<'u32'>,
    end: Arg<'u32'>,
    body: (index: Expr<'u32'>) => void,
    options?: RangeOptions,
  ): void
  range(
    name: string,
    start: Arg<'u32'>,
    end: Arg<'u32'>,
    step: Arg<'u32'>,
    body: (index: Expr<'u32'>) => void,
    options?: RangeOptions,
  ): void
  range(
    name: string,
    start: Arg<'i32'>,
    end: Arg<'i32'>,
    step: Arg<'i32'>,
    body: (index: Expr<'i32'>) => void,
    options?: RangeOptions,
  ): void
  for<T extends ValueName>(
    name: string,
    init: Expr<T>,
    test: (i: VarRef<T>) => Test,
    update: (i: VarRef<T>) => Expr<T> | void,
    body: (i: VarRef<T>) => void,
  ): void
  while(test: () => Test, body: () => void): void
  /** Runs until a break; `continuing` runs after each round, and leaves the loop when it gives true. */
  loop(body: () => void, continuing?: () => Test | void): void
  break(): void
  continue(): void
  return(value?: AnyExpr | number | boolean | object): void

  /** The lazy select: `value` is evaluated, and what it reads is read, only where the test holds. */
  when<T extends ValueName>(test: Test, value: () => Expr<T>, otherwise: Arg<T> | (() => Arg<T>)): Expr<T>
  /** `array[index] = value` where the index is in range; nothing elsewhere. */
  guardedStore<T extends ValueName>(array: Storable<T>, index: IndexArg, value: Arg<NoInfer<T>>): void
  /** Calls a function whose arguments are all constants. */
  call<A extends readonly unknown[], R>(f: (...args: A) => R, ...args: A): R

  workgroupBarrier(): void
  storageBarrier(): void
  textureBarrier(): void
  /** The value, the same for all invocations: a read between two barriers. */
  workgroupUniformLoad<T extends ValueName>(place: VarRef<T>): Expr<T>
  workgroupUniformLoad<T extends Int>(place: AtomicRef<T>): Expr<T>

  subgroupMatrixLoad<S extends MatrixShape>(
    type: TypeOf<S>,
    array: AnyArray,
    offset: Arg<'u32'>,
    stride: Arg<'u32'>,
    majorness?: 'row' | 'col',
  ): MatrixValue<S>
  subgroupMatrixStore(
    array: AnyArray,
    offset: Arg<'u32'>,
    matrix: MatrixValue<MatrixShape>,
    stride: Arg<'u32'>,
    majorness?: 'row' | 'col',
  ): void
  subgroupMatrixMultiply(
    left: MatrixValue<MatrixShape<'left'>>,
    right: MatrixValue<MatrixShape<'right'>>,
  ): MatrixValue<MatrixShape<'result'>>
  subgroupMatrixMultiplyAccumulate<S extends MatrixShape<'result'>>(
    left: MatrixValue<MatrixShape<'left'>>,
    right: MatrixValue<MatrixShape<'right'>>,
    result: MatrixValue<S>,
  ): MatrixValue<S>
  subgroupMatrixScalarAdd<S extends MatrixShape>(matrix: MatrixValue<S>, scalar: AnyExpr | number): MatrixValue<S>
  subgroupMatrixScalarSubtract<S extends MatrixShape>(matrix: MatrixValue<S>, scalar: AnyExpr | number): MatrixValue<S>
  subgroupMatrixScalarMultiply<S extends MatrixShape>(matrix: MatrixValue<S>, scalar: AnyExpr | number): MatrixValue<S>

  /** The invocation within its workgroup, linear, x fastest. */
  readonly localIndex: Expr<'u32'>
  readonly localId: Expr<'vec3u'>
  readonly globalId: Expr<'vec3u'>
  readonly workgroupId: Expr<'vec3u'>
  readonly numWorkgroups: Expr<'vec3u'>
  /** The workgroup within the dispatch, linear, whatever way the launch was folded. */
  readonly workgroupIndex: Expr<'u32'>
  /** The invocation within the dispatch: `workgroupIndex * workgroupSize + localIndex`. */
  readonly globalIndex: Expr<'u32'>
  readonly subgroupSize: Expr<'u32'>
  readonly subgroupInvocationId: Expr<'u32'>
  readonly subgroupId: Expr<'u32'>
  readonly numSubgroups: Expr<'u32'>
  /** The number of invocations of a workgroup, as a JavaScript number. */
  readonly workgroupSize: number
  /** Which of the declared variants is being built. */
  readonly variant: string
}

type ConstOf<S> = Value<{ readonly array: Extract<ShapeOf<S>, Shape> }>
