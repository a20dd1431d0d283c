import type { CostRule, HostExpr, HostOp, LaunchRule } from '../ir'
import { apply } from './apply'
import { fail } from './fail'
import { describe, expected, isCount, isHandle } from './handle'
import type { Expr } from './types'

/**
 * Numbers of the host: what launch rules and costs compute with. They stand for params that are known at dispatch, and
 * behave as exact non-negative integers.
 */
export class HostNumber {
  constructor(readonly expr: HostExpr) {}
  add(other: HostArg): HostNumber {
    return host('add', this, other)
  }
  sub(other: HostArg): HostNumber {
    return host('sub', this, other)
  }
  mul(other: HostArg): HostNumber {
    return host('mul', this, other)
  }
  /** Rounds down. */
  div(other: HostArg): HostNumber {
    return host('div', this, other)
  }
  ceilDiv(other: HostArg): HostNumber {
    return host('ceilDiv', this, other)
  }
  min(other: HostArg): HostNumber {
    return host('min', this, other)
  }
  max(other: HostArg): HostNumber {
    return host('max', this, other)
  }

  [Symbol.toPrimitive](): never {
    return fail(
      'js-operator',
      'a JavaScript operator is applied to a number of the launch rule or of the cost',
      'use its methods: n.mul(2), ceilDiv(n, 64)',
    )
  }
}

export type HostArg = HostNumber | number

const host = (kind: HostOp, a: HostArg, b: HostArg): HostNumber =>
  new HostNumber({ kind, a: hostExpr(a), b: hostExpr(b) })

const isAmount = (x: unknown): x is number => x === 0 || isCount(x)

export function hostExpr(x: unknown): HostExpr {
  if (x instanceof HostNumber) return x.expr
  if (isAmount(x)) return x
  return fail(
    'bad-launch',
    `${describe(x)} is not a number of workgroups`,
    'the launch rule computes with its params and non-negative integers: ({ n }) => [ceilDiv(n, 64)]',
  )
}

/** ⌈a / b⌉, of JavaScript numbers, of numbers in a launch rule, or of u32 expressions. */
export function ceilDiv(a: number, b: number): number
export function ceilDiv(a: HostArg, b: HostArg): HostNumber
export function ceilDiv(a: Expr<'u32'>, b: Expr<'u32'> | number): Expr<'u32'>
export function ceilDiv(a: unknown, b: unknown): unknown {
  if (a instanceof HostNumber || b instanceof HostNumber) return host('ceilDiv', a as HostArg, b as HostArg)
  for (const x of [a, b])
    if (!isHandle(x) && !isCount(x) && x !== 0)
      expected('bad-argument', 'an argument of ceilDiv', 'a whole number, or an expression of type u32', x)
  if (!isHandle(a) && !isHandle(b)) return Math.ceil((a as number) / (b as number))
  // right as long as the sum does not exceed 2³²
  const less = isHandle(b) ? apply('sub', [b, 1]) : (b as number) - 1
  return apply('div', [apply('add', [a, less]), b])
}

export function launchRule(workgroups: unknown): LaunchRule {
  if (!Array.isArray(workgroups) || workgroups.length < 1 || workgroups.length > 3)
    return expected(
      'bad-launch',
      'the result of the launch rule',
      'one to three counts, as ({ rows }) => [rows]',
      workgroups,
    )
  return {
    dimensions: workgroups.length as 1 | 2 | 3,
    workgroups: workgroups.map(hostExpr),
    folds: workgroups.length === 1,
  }
}

const isObject = (x: unknown): x is Readonly<Record<string, unknown>> => typeof x === 'object' && x !== null

/** `isArray` says which bindings have a length. */
export function costRule(cost: unknown, isArray: (binding: string) => boolean): CostRule {
  const names = isObject(cost) ? Object.keys(cost) : []
  if (!isObject(cost) || names.length === 0 || names.some((name) => name !== 'bytes' && name !== 'operations'))
    return fail(
      'bad-argument',
      `the cost gives ${describe(cost)}`,
      'write ({ n }) => ({ bytes: n.mul(12), operations: n.mul(2) })',
    )
  const amount = (name: 'bytes' | 'operations'): HostExpr | null => {
    const x = cost[name]
    if (x === undefined) return null
    if (isAmount(x)) return x
    if (!(x instanceof HostNumber))
      return fail(
        'bad-argument',
        `the ${name} of the cost are ${describe(x)}`,
        'a cost computes with params, lengths of bindings and non-negative integers',
      )
    checkLengths(x.expr, isArray)
    return x.expr
  }
  return { bytes: amount('bytes'), operations: amount('operations') }
}

function checkLengths(e: HostExpr, isArray: (binding: string) => boolean): void {
  if (typeof e === 'number' || e.kind === 'param' || e.kind === 'override') return
  if (e.kind !== 'length') {
    checkLengths(e.a, isArray)
    checkLengths(e.b, isArray)
  } else if (!isArray(e.binding)) {
    fail('bad-argument', `the cost asks for the length of '${e.binding}', which is not an array binding`)
  }
}
