import {
  type Const,
  type Convert,
  type Expr,
  factsOf,
  type Op,
  PURE,
  type PureName,
  resolve,
  type Swizzle,
  type ValueName,
  withScalar,
} from '@weft/dsl/ir'

/** Construction of nodes in passes. `at` is that of the node which a new one stands for. */

export function constOf(type: ValueName, lanes: readonly number[]): Const {
  return { kind: 'const', type, lanes }
}

/** The same number in all lanes. */
export function splatConst(type: ValueName, x: number): Const {
  const { rows, cols } = factsOf(type)
  return constOf(type, new Array<number>(rows * cols).fill(x))
}

export function opOf(at: number, op: PureName, ...args: readonly Expr[]): Op {
  const type = resolve(
    PURE[op],
    args.map((a) => a.type as ValueName),
  )
  if (type === null) throw new RangeError(`no form of ${op} for (${args.map((a) => String(a.type)).join(', ')})`)
  return { kind: 'op', at, type, op, args }
}

export const convertTo = (at: number, type: ValueName, arg: Expr): Expr =>
  arg.type === type ? arg : ({ kind: 'convert', at, type, arg } satisfies Convert)

export function lanesOf(at: number, of: Expr, lanes: readonly number[]): Swizzle {
  const scalar = factsOf(of.type as ValueName).scalar
  const type = lanes.length === 1 ? scalar : withScalar(`vec${lanes.length}f` as ValueName, scalar)
  return { kind: 'swizzle', at, type, of, lanes }
}

/** The number that all lanes of a constant are, or null. */
export function uniformLane(e: Expr): number | null {
  if (e.kind !== 'const') return null
  const { lanes } = e
  const first = lanes[0] as number
  for (let i = 1; i < lanes.length; i++) if (!Object.is(lanes[i], first)) return null
  return first
}

export const atOf = (e: Expr): number => ('at' in e ? e.at : -1)
