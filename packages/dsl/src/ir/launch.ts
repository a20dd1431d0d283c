/**
 * The launch rule: how many workgroups to dispatch, as a small expression over params and overrides. It is plain
 * data, so the runtime, the generated bindings (in TypeScript or another language) and the emitted guard of
 * folded launches all evaluate the same rule. Arithmetic is exact on non-negative integers; `div` rounds down.
 */
export type HostExpr =
  | number
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'override'; readonly name: string }
  | { readonly kind: 'length'; readonly binding: string }
  | { readonly kind: HostOp; readonly a: HostExpr; readonly b: HostExpr }

export type HostOp = 'add' | 'sub' | 'mul' | 'div' | 'ceilDiv' | 'min' | 'max'

/** Counts for x, y, z. */
export interface LaunchRule {
  readonly dimensions: 1 | 2 | 3
  readonly workgroups: readonly HostExpr[]
  /**
   * Whether a count above the device's limit may be spread over two or three dimensions: the rule has one, and the
   * body knows workgroups by their linear index only (`k.workgroupIndex`, `k.globalIndex`).
   */
  readonly folds: boolean
}

/** What a dispatch costs, for those who measure it; null where the kernel does not say. */
export interface CostRule {
  /** Bytes of memory that it has to move. */
  readonly bytes: HostExpr | null
  /** Floating-point operations. */
  readonly operations: HostExpr | null
}

export const HOST_OPS: { readonly [K in HostOp]: (a: number, b: number) => number } = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => Math.floor(a / b),
  ceilDiv: (a, b) => Math.ceil(a / b),
  min: Math.min,
  max: Math.max,
}

/** What a launch rule or a cost may refer to. */
export interface HostScope {
  param(name: string): number
  override(name: string): number
  length(binding: string): number
}

export function evaluateHost(e: HostExpr, scope: HostScope): number {
  if (typeof e === 'number') return e
  switch (e.kind) {
    case 'param':
      return scope.param(e.name)
    case 'override':
      return scope.override(e.name)
    case 'length':
      return scope.length(e.binding)
    default:
      return HOST_OPS[e.kind](evaluateHost(e.a, scope), evaluateHost(e.b, scope))
  }
}
