import {
  type Const,
  type Convert,
  type Expr,
  factsOf,
  type Op,
  PURE,
  type PureName,
  type Row,
  type Swizzle,
  scalarOf,
  slotType,
  type ValueName,
  vectorName,
} from '@weft/dsl/ir'

/** Construction of nodes in passes. `at` is that of the node which a new one stands for. */

export const constOf = (type: ValueName, lanes: readonly number[]): Const => ({ kind: 'const', type, lanes })

/** The same number in all lanes. */
export function splatConst(type: ValueName, x: number): Const {
  const { rows, cols } = factsOf(type)
  return constOf(type, new Array<number>(rows * cols).fill(x))
}

/** An op of a signature that allows the operands; a number is a constant of the type that its place asks for. */
export function opOf(at: number, op: PureName, ...operands: readonly (Expr | number)[]): Op {
  const row: Row = PURE[op]
  const t = operands.find((o): o is Expr => typeof o !== 'number')?.type as ValueName
  const args = operands.map((o, i) => (typeof o === 'number' ? splatConst(slotType(row.in[i] as never, t), o) : o))
  const fixed = args[row.in.indexOf('T')]?.type as ValueName
  return { kind: 'op', at, type: slotType(row.out, fixed), op, args }
}

export const convertTo = (at: number, type: ValueName, arg: Expr): Expr =>
  arg.type === type ? arg : ({ kind: 'convert', at, type, arg } satisfies Convert)

export const bitcastTo = (at: number, type: ValueName, arg: Expr): Expr =>
  arg.type === type ? arg : { kind: 'bitcast', at, type, arg }

export const lanesOf = (at: number, of: Expr, lanes: readonly number[]): Swizzle => ({
  kind: 'swizzle',
  at,
  type: vectorName(scalarOf(of.type as ValueName), lanes.length),
  of,
  lanes,
})

/** The number that all lanes of a constant are, or null. */
export function uniformLane(e: Expr): number | null {
  if (e.kind !== 'const') return null
  const { lanes } = e
  const first = lanes[0] as number
  for (let i = 1; i < lanes.length; i++) if (!Object.is(lanes[i], first)) return null
  return first
}

export const atOf = (e: Expr): number => ('at' in e ? e.at : -1)
