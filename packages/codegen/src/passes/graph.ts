import {
  BUILTINS,
  type BuiltinName,
  type Const,
  type Expr,
  type Kernel,
  type Place,
  type Result,
  sameType,
  spell,
  type Type,
} from '@weft/dsl/ir'
import { PACKED } from './legalize/packed'
import { Node, newestOf, operandsOf, placeKey, sameArgs, sameLanes } from './node'
import { rebuildPlace } from './places'
import { HALVES } from './special'
import { isTrap } from './traps'

/** One step of rewriting: another expression that means the same, or `e` itself. */
export type Rule = (e: Expr) => Expr

/** A kernel whose expressions are nodes of one graph. */
export interface Working extends Kernel {
  readonly graph: Graph
}

const NONE: readonly Node[] = []
const NO_LANES: readonly number[] = []

/**
 * The expressions of a kernel as nodes. They are made operands first, and the rules are applied to each until none does
 * anything; with `share`, equal ones are one node.
 */
export class Graph {
  /** How many nodes there are: the length of tables by their numbers. */
  size = 0
  /** Whether some loop repeats; whether some expression is a constant that compilers may refuse. */
  loops = false
  traps = false
  /** Whether something occurs that needs a feature or a declaration: half precision, structs, subgroups, … */
  special = false
  /** Integer constants that a `let` gives a name, by the id of its result. */
  readonly constants = new Map<number, Const>()
  #ids = 0
  #known = new Map<Expr, Node>()
  #leaves = new Map<string, Node>()
  #consts = new Map<number, Node>()
  /** What stands for the result of a load that is left out. */
  readonly #same: Node[] = []

  constructor(
    readonly rules: readonly Rule[],
    readonly share: boolean,
  ) {}

  /** Each body has nodes of its own: arguments are the same only within a function. */
  startBody(): void {
    this.#known = new Map()
    this.#leaves = new Map()
    this.#consts = new Map()
  }

  /** Notes that an id is taken. */
  see(id: number): void {
    if (id >= this.#ids) this.#ids = id + 1
  }

  /** From now on, `by` stands for the result of a load that is left out. */
  replace(result: Result, by: Result): void {
    this.#same[result.id] = this.#node(by)
  }

  /** A result that the kernel did not have. */
  result(type: Type): Result {
    return this.#leaf('result', type, '', this.#ids++) as unknown as Result
  }

  /** `e`, a node of this graph, with its operands replaced. */
  rebuild(e: Expr, f: (operand: Expr) => Expr): Expr {
    const node = e as unknown as Node
    if (node.kind === 'length') {
      const place = rebuildPlace(node.of as Place, f)
      return (place === node.of ? node : this.#create(node, operandsOf(place), place)) as unknown as Expr
    }
    let args: Node[] | null = null
    for (let i = 0; i < node.args.length; i++) {
      const arg = node.args[i] as Node
      const next = f(arg as unknown as Expr) as unknown as Node
      if (next !== arg) (args ??= node.args.slice())[i] = next
    }
    return (args ? this.#create(node, args, undefined) : node) as unknown as Expr
  }

  #create(like: Node, args: readonly Node[], place: Place | undefined): Node {
    return this.#new(like.kind, like.at, like.type, like.name, args, like.lanes, like.id, place)
  }

  #new(
    kind: Expr['kind'],
    at: number,
    type: Type,
    name: string,
    args: readonly Node[],
    lanes: readonly number[],
    id: number,
    place: Place | undefined,
  ): Node {
    if (typeof type !== 'string' || HALVES.has(type)) this.special = true
    return new Node(this, this.size++, kind, at, type, name, args, lanes, id, place)
  }

  // Expressions.

  /** An expression of the kernel, or one that was made of nodes, as a node. */
  readonly expr = (e: Expr): Expr => this.#node(e) as unknown as Expr

  #node(e: Expr): Node {
    if (e instanceof Node && e.graph === this) return e.final ?? e
    const known = this.#known.get(e)
    if (known !== undefined) return known
    const made = this.#import(e)
    this.#known.set(e, made)
    return made
  }

  #import(e: Expr): Node {
    switch (e.kind) {
      case 'const':
        return this.#const(e)
      case 'result':
        return this.#same[e.id] ?? this.#leaf('result', e.type, '', e.id)
      case 'builtin':
      case 'param':
      case 'override':
      case 'constant':
      case 'argument':
        return this.#named(e.kind, e.type, e.name)
      case 'op':
        if (PACKED.has(e.op)) this.special = true
        return this.#make('op', e.at, e.type, e.op, this.#list(e.args), NO_LANES)
      case 'construct':
        return this.#make('construct', e.at, e.type, spell(e.type), this.#list(e.args), NO_LANES)
      case 'convert':
      case 'bitcast':
        return this.#make(e.kind, e.at, e.type, e.type, [this.#node(e.arg)], NO_LANES)
      case 'swizzle':
        return this.#make(
          'swizzle',
          e.at,
          e.type,
          SWIZZLES[e.lanes[0] as number] as string,
          [this.#node(e.of)],
          e.lanes,
        )
      case 'index':
        return this.#make('index', e.at, e.type, '', [this.#node(e.of), this.#node(e.index)], NO_LANES)
      case 'member':
        return this.#make('member', e.at, e.type, e.name, [this.#node(e.of)], NO_LANES)
      case 'length': {
        const place = rebuildPlace(e.of, this.expr)
        return this.#make('length', e.at, e.type, placeKey(place), operandsOf(place), NO_LANES, place)
      }
    }
  }

  #list(args: readonly Expr[]): Node[] {
    const out = new Array<Node>(args.length)
    for (let i = 0; i < args.length; i++) out[i] = this.#node(args[i] as Expr)
    return out
  }

  #const(e: Const): Node {
    const first = e.lanes[0] as number
    const others = this.#consts.get(first) ?? null
    for (let o = others; o; o = o.before) if (o.type === e.type && sameLanes(o.lanes, e.lanes)) return o
    const made = this.#new('const', -1, e.type, '', NONE, e.lanes, -1, undefined)
    made.before = others
    this.#consts.set(first, made)
    return made
  }

  #leaf(kind: Expr['kind'], type: Type, name: string, id: number): Node {
    return this.#new(kind, -1, type, name, NONE, NO_LANES, id, undefined)
  }

  #named(kind: Expr['kind'], type: Type, name: string): Node {
    const key = `${kind} ${name}`
    const known = this.#leaves.get(key)
    if (known?.final && sameType(known.type, type)) return known.final
    if (kind === 'builtin' && 'feature' in BUILTINS[name as BuiltinName]) this.special = true
    const made = this.#leaf(kind, type, name, -1)
    this.#leaves.set(key, made)
    return this.#settle(made)
  }

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
    if (newest && this.share) {
      for (let u = newest.users; u; u = u.before)
        if (u.name === name && u.kind === kind && sameArgs(u.args, args) && sameLanes(u.lanes, lanes))
          return u.final as Node
    }
    const made = this.#new(kind, at, type, name, args, lanes, -1, place)
    if (newest) {
      made.before = newest.users
      newest.users = made
      return this.#settle(made)
    }
    const key = `${kind} ${name}`
    const known = this.share ? this.#leaves.get(key) : undefined
    if (known) return known.final as Node
    this.#leaves.set(key, made)
    return this.#settle(made)
  }

  #settle(made: Node): Node {
    made.final = made
    const e = made as unknown as Expr
    for (const rule of this.rules) {
      const next = rule(e)
      if (next !== e) return (made.final = this.#node(next))
    }
    if (!this.traps && isTrap(e)) this.traps = true
    return made
  }
}

/** Swizzles are told apart by their lanes; the name of the first one spares most comparisons. */
const SWIZZLES = ['x', 'y', 'z', 'w'] as const
