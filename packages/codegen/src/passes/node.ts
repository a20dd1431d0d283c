import { type Expr, type Place, spell, type Type } from '@weft/dsl/ir'
import type { Graph } from './graph'
import { eachIndex } from './places'

/**
 * The compiler's own copy of an expression. All nodes have one shape, whatever their kind, so that reading them is fast,
 * and a number, so that what is known of them stands in arrays; `args` are the operands of any kind.
 */
export class Node {
  readonly args: readonly Node[]
  readonly op: string
  readonly arg: Node | undefined
  readonly of: Node | Place | undefined
  readonly index: Node | undefined
  /** The last of the nodes whose newest operand this is, and the one before this in such a list. */
  users: Node | null = null
  before: Node | null = null
  /** What the rules make of it. */
  final: Node | null = null

  constructor(
    readonly graph: Graph,
    readonly n: number,
    readonly kind: Expr['kind'],
    readonly at: number,
    readonly type: Type,
    /** What tells it from others of its kind with the same operands. */
    readonly name: string,
    args: readonly Node[],
    readonly lanes: readonly number[],
    readonly id: number,
    place: Place | undefined,
  ) {
    this.args = args
    this.op = name
    this.arg = args[0]
    this.of = place ?? args[0]
    this.index = args[1]
  }
}

/** The number of an expression of a working kernel. */
export const numberOf = (e: Expr): number => (e as unknown as Node).n
export const argsOf = (e: Expr): readonly Expr[] => (e as unknown as { args: readonly Expr[] }).args

/** The operand that was made last: few other expressions have it. */
export function newestOf(args: readonly Node[]): Node | null {
  let newest: Node | null = null
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as Node
    if (newest === null || arg.n > newest.n) newest = arg
  }
  return newest
}

export function sameArgs(a: readonly Node[], b: readonly Node[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

export function sameLanes(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false
  return true
}

/** The indices of a place, which are nodes. */
export function operandsOf(place: Place): readonly Node[] {
  const out: Node[] = []
  eachIndex(place, (e) => out.push(e as unknown as Node))
  return out
}

/** Equal for places that are the same: their indices are nodes. */
export function placeKey(place: Place): string {
  const { root } = place
  let key = root.kind === 'variable' ? `v${root.id}` : `${root.kind} ${root.name}`
  if (root.kind === 'view') key += ` ${numberOf(root.offset)} ${spell(root.type)}`
  for (const step of place.steps) key += step.kind === 'member' ? `.${step.name}` : `[${numberOf(step.index)}`
  return key
}
