import {
  BUILTINS,
  type BuiltinName,
  type Const,
  type Expr,
  type Kernel,
  type Place,
  placeOperands,
  type Result,
  sameType,
  type Type,
} from '@weft/dsl/ir'
import { foldExpr } from './fold'
import { PACKED } from './legalize/packed'
import { AnyNode, isNode, type Node, sameLists } from './node'
import { mapPlace, placeKey } from './places'
import { bounded, type Facts } from './ranges'
import { HALVES } from './special'
import { isTrap } from './traps'

/** One step of rewriting: another expression that means the same, or `e` itself. */
export type Rule = (e: Expr) => Expr

/** A kernel whose expressions are nodes of one graph. */
export interface Working extends Kernel {
  readonly graph: Graph
}

const NONE: readonly never[] = []

/** Nodes by what they were made of. Nearly every expression has an `at` of its own, so that a table needs no hashes. */
class Known {
  readonly #sources: Expr[] = []
  readonly #nodes: Node[] = []
  readonly #others = new Map<Expr, Node>()

  /** `outer`: what is known around it, and stays so after it. */
  constructor(readonly outer: Known | null = null) {}

  get(e: Composed): Node | undefined {
    if (this.#sources[e.at] === e) return this.#nodes[e.at]
    return (this.#others.size > 0 ? this.#others.get(e) : undefined) ?? this.outer?.get(e)
  }

  set(e: Composed, node: Node): void {
    if (e.at < 0 || this.#sources[e.at]) this.#others.set(e, node)
    else {
      this.#sources[e.at] = e
      this.#nodes[e.at] = node
    }
  }
}

/** What expressions mean in one body: arguments are the same only within a function. */
export class Scope {
  known = new Known()
  /** The last of the nodes without operands by what tells them apart. */
  readonly leaves = new Map<string | number, Node>()
  constructor(readonly place: (p: Place) => Place) {}
}

/**
 * The expressions of a kernel as nodes. They are made operands first, and the rules are applied to each until none does
 * anything; with `share`, equal ones are one node.
 */
export class Graph {
  /** How many nodes there are: the length of tables by their numbers. */
  size = 0
  /** The next id of a result or variable: all get new ones. */
  ids = 0
  /** That of the body that is walked. */
  scope = new Scope((place) => place)
  /** What stands for the results of the kernel that this one is made of, by id. */
  readonly results: Node[] = []
  /** Whether some expression is a constant that compilers may refuse; whether a loop was written out. */
  traps = false
  unrolled = false
  /** Whether something occurs that needs a feature or a declaration: half precision, structs, subgroups, … */
  special = false
  /** Integer constants that a `let` gives a name, by the id of its result. */
  readonly constants = new Map<number, Const>()
  readonly facts: Facts
  /** Variables that something reads, by id. */
  readonly read = new Set<number>()

  constructor(
    kernel: Kernel,
    public rules: readonly Rule[],
    readonly share: boolean,
    ranges: boolean,
  ) {
    const facts: Facts = { workgroupSize: kernel.workgroupSize, results: [] }
    this.facts = facts
    if (ranges) this.rules = [...rules, (e) => bounded(e, facts)]
  }

  /** A result that is defined in so many loops. */
  result(type: Type, depth: number): Result & Node {
    return this.#new('result', -1, type, '', NONE, NONE, undefined, this.ids++, depth, null) as Result & Node
  }

  /** An expression of the kernel as a node. */
  readonly expr = (e: Expr): Node => {
    switch (e.kind) {
      case 'const':
        for (let u = this.scope.leaves.get(e.lanes[0] as number) ?? null; u; u = u.before)
          if (u.type === e.type && sameLists(u.lanes, e.lanes)) return u
        return this.#make('const', -1, e.type, '', NONE, e.lanes)
      case 'result':
        return (this.results[e.id] ??= this.result(e.type, 0))
      case 'builtin':
      case 'param':
      case 'override':
      case 'constant':
      case 'argument':
        return this.#make(e.kind, -1, e.type, e.name, NONE, NONE)
      default: {
        const { known } = this.scope
        let made = known.get(e)
        if (made === undefined) {
          made = this.#compose(e, this.expr)
          known.set(e, made)
        }
        return made
      }
    }
  }

  /** A node, or an expression that was made of nodes, as a node. */
  readonly made = (e: Expr): Node => (isNode(e) ? e.final : 'at' in e ? this.#compose(e, this.made) : this.expr(e))

  #compose(e: Composed, operand: (e: Expr) => Node): Node {
    switch (e.kind) {
      case 'op':
        return this.#make('op', e.at, e.type, e.op, e.args.map(operand), NONE)
      case 'construct':
        return this.#make('construct', e.at, e.type, '', e.args.map(operand), NONE)
      case 'convert':
      case 'bitcast':
        return this.#make(e.kind, e.at, e.type, '', [operand(e.arg)], NONE)
      case 'swizzle':
        return this.#make('swizzle', e.at, e.type, '', [operand(e.of)], e.lanes)
      case 'index':
        return this.#make('index', e.at, e.type, '', [operand(e.of), operand(e.index)], NONE)
      case 'member':
        return this.#make('member', e.at, e.type, e.name, [operand(e.of)], NONE)
      case 'length': {
        const place = this.scope.place(e.of)
        return this.#make('length', e.at, e.type, placeKey(place), indicesOf(place), NONE, place)
      }
    }
  }

  /** The node of these fields that is there already, or a new one, by the rules. */
  #make(
    kind: Expr['kind'],
    at: number,
    type: Type,
    name: string,
    args: readonly Node[],
    lanes: readonly number[],
    place?: Place,
  ): Node {
    const newest = newestOf(args)
    const { leaves } = this.scope
    const key = newest ? '' : kind === 'const' ? (lanes[0] as number) : name
    const before = newest ? newest.users : (leaves.get(key) ?? null)
    if (this.share || !newest) {
      for (let u = before; u; u = u.before)
        if (
          u.kind === kind &&
          u.name === name &&
          sameLists(u.args, args) &&
          sameLists(u.lanes, lanes) &&
          sameType(u.type, type)
        )
          return u.final
    }
    const made = this.#new(kind, at, type, name, args, lanes, place, -1, 0, before)
    if (newest) newest.users = made
    else leaves.set(key, made)
    for (const rule of this.rules) {
      const next = rule(made)
      if (next !== made) return (made.final = this.made(next))
    }
    if (!this.traps && isTrap(made)) this.traps = true
    return made
  }

  #new(
    kind: Expr['kind'],
    at: number,
    type: Type,
    name: string,
    args: readonly Node[],
    lanes: readonly number[],
    place: Place | undefined,
    id: number,
    depth: number,
    before: Node | null,
  ): Node {
    if (typeof type !== 'string' || HALVES.has(type) || needsFeature(kind, name)) this.special = true
    return new AnyNode(this.size++, kind, at, type, name, args, lanes, place, id, depth, before) as unknown as Node
  }

  /** `e` with its operands replaced, as it is: no rule is applied. */
  rebuild(e: Node, f: (operand: Expr) => Node): Node {
    const place = e.kind === 'length' ? mapPlace(e.of, f) : undefined
    const args = place ? indicesOf(place) : e.args.map(f)
    return sameLists(args, e.args) ? e : this.#new(e.kind, e.at, e.type, e.name, args, e.lanes, place, e.id, 0, null)
  }

  /** `e` with what is constant in it folded. */
  readonly folded = (e: Expr): Node => this.made(foldExpr(this.rebuild(this.made(e), this.folded)))

  /**
   * A round of a loop that is written out: what becomes constant in it is folded, and what its expressions are is
   * forgotten, as it may be something else in the next.
   */
  round(walk: () => void): void {
    const { rules, scope } = this
    const { known } = scope
    this.rules = [foldExpr, ...rules]
    scope.known = new Known(known)
    walk()
    scope.known = known
    this.rules = rules
  }
}

/** What is made of other expressions or places. */
type Composed = Extract<Expr, { readonly at: number }>

const needsFeature = (kind: Expr['kind'], name: string): boolean =>
  kind === 'op' ? PACKED.has(name) : kind === 'builtin' && 'feature' in BUILTINS[name as BuiltinName]

/** The operand that was made last: few other expressions have it. */
function newestOf(args: readonly Node[]): Node | null {
  let newest: Node | null = null
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as Node
    if (newest === null || arg.n > newest.n) newest = arg
  }
  return newest
}

const indicesOf = (place: Place): readonly Node[] => placeOperands(place) as readonly Node[]
