import type { Expr, Place, Type } from '@weft/dsl/ir'

/** An expression of the compiler's own. */
export type Node = Expr & Fields

interface Fields {
  /** What is known of nodes stands in arrays, by this number. */
  readonly n: number
  /** Of any kind; for `length`, the indices of its place. */
  readonly args: readonly Node[]
  readonly at: number
  /** What tells it from others of its kind with the same operands. */
  readonly name: string
  readonly lanes: readonly number[]
  readonly id: number
  /** In how many loops the innermost stands that defines a result in it, and what evaluating it costs. */
  readonly depth: number
  readonly cost: number
  /** What the rules make of it. */
  final: Node
  /** The last of the nodes whose newest operand this is, and the one before this in such a list. */
  users: Node | null
  before: Node | null
}

/** All nodes have one shape, whatever their kind, so that reading them is fast. */
export class AnyNode {
  readonly op: string
  readonly arg: Node | undefined
  readonly of: Node | Place | undefined
  readonly index: Node | undefined
  readonly final = this
  readonly users = null
  readonly cost: number

  constructor(
    readonly n: number,
    readonly kind: Expr['kind'],
    readonly at: number,
    readonly type: Type,
    readonly name: string,
    readonly args: readonly Node[],
    readonly lanes: readonly number[],
    place: Place | undefined,
    readonly id: number,
    public depth: number,
    readonly before: Node | null,
  ) {
    this.cost = costOf(kind, name)
    for (let i = 0; i < args.length; i++) {
      const { depth, cost } = args[i] as Node
      if (depth > this.depth) this.depth = depth
      this.cost += cost
    }
    this.op = name
    this.arg = args[0]
    this.of = place ?? args[0]
    this.index = args[1]
  }
}

const CHEAP = new Set(
  'add sub mul neg not bitNot bitAnd bitOr bitXor shl shr eq ne lt le gt ge and or boolAnd boolOr min max abs select fma'.split(
    ' ',
  ),
)

function costOf(kind: Expr['kind'], op: string): number {
  switch (kind) {
    case 'op':
      return CHEAP.has(op) ? 1 : 4
    case 'convert':
    case 'bitcast':
    case 'length':
      return 1
    default:
      return 0
  }
}

export const isNode = (e: Expr): e is Node => e instanceof AnyNode

/** The number of an expression of a working kernel. */
export const numberOf = (e: Expr): number => (e as Node).n
export const argsOf = (e: Expr): readonly Expr[] => (e as Node).args

export function sameLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false
  return true
}
