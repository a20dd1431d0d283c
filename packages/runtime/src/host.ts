import type { HostExpr, HostOp } from '@weft/codegen'

/** What a launch rule may refer to. */
export interface HostScope {
  param(name: string): number
  override(name: string): number
  /** Elements in the bound range of a binding. */
  length(binding: string): number
}

const OPS: { readonly [K in HostOp]: (a: number, b: number) => number } = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => Math.floor(a / b),
  ceilDiv: (a, b) => Math.ceil(a / b),
  min: Math.min,
  max: Math.max,
}

/** The compiler's evaluation of launch rules once more, since none of its code is shipped; a test holds the two together. */
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
      return OPS[e.kind](evaluateHost(e.a, scope), evaluateHost(e.b, scope))
  }
}
