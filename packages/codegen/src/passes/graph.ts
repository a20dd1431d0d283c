import {
  type Block,
  BUILTINS,
  type BuiltinName,
  type Const,
  EFFECTS,
  type Effect,
  type Expr,
  type Func,
  isInt,
  type Kernel,
  type Load,
  type Place,
  type Result,
  type Stmt,
  sameType,
  scalarOf,
  spell,
  type Type,
  VALUE_NAMES,
} from '@weft/dsl/ir'
import { mapStmt } from './map'
import { knownConstant } from './operands'
import { eachIndex, rebuildPlace } from './places'
import { isTrap } from './traps'

/** One step of rewriting: another expression that means the same, or `e` itself. */
export type Rule = (e: Expr) => Expr

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

/** A kernel whose expressions are nodes of one graph. */
export interface Working extends Kernel {
  readonly graph: Graph
}

/** A kernel as the passes and the emitter want it. */
export const working = (kernel: Kernel): Working =>
  'graph' in kernel ? (kernel as Working) : rewrite(kernel, [], false)

/** The number of an expression of a working kernel. */
export const numberOf = (e: Expr): number => (e as unknown as Node).n
export const argsOf = (e: Expr): readonly Expr[] => (e as unknown as { args: readonly Expr[] }).args

/**
 * Rewrites all expressions, operands first, until no rule applies; `share`: equal expressions become one node, and
 * read-only memory is read once. Everything that is done to single expressions goes through here, in one walk.
 *
 * An expression is pure and says nothing of a place or a time, so equal ones are equal wherever they stand; where a
 * shared one is evaluated, the emitter decides by dominance. A load is a statement: a later one of the same element
 * takes the value of an earlier one only where that is visible, and only from bindings that nobody writes.
 */
export function rewrite(kernel: Kernel, rules: readonly Rule[], share: boolean): Working {
  const graph = new Graph(kernel, rules, share)
  const functions = kernel.functions.map((f): Func => ({ ...f, body: graph.body(f.body) }))
  return { ...kernel, functions, body: graph.body(kernel.body), graph }
}

const NONE: readonly Node[] = []
const NO_LANES: readonly number[] = []

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
  #loaded: Map<string, Result>[] = []
  /** What stands for the result of a load that is left out. */
  readonly #same: Node[] = []
  readonly #readOnly = new Set<string>()

  constructor(
    kernel: Kernel,
    readonly rules: readonly Rule[],
    readonly share: boolean,
  ) {
    if (share)
      for (const b of kernel.bindings) if (b.kind !== 'texture' && b.access === 'read') this.#readOnly.add(b.name)
    for (const v of kernel.variables) this.#see(v.id)
    const { bindings, params, constants, variables, overrides, functions } = kernel
    this.special =
      kernel.subgroupSize !== null ||
      [bindings, params, constants, variables, overrides].some((list) => list.some((d) => isSpecial(d.type))) ||
      functions.some((f) => f.params.some((p) => isSpecial(p.type)) || (f.result !== null && isSpecial(f.result)))
  }

  /** Each body has nodes of its own: arguments are the same only within a function. */
  body(block: Block): Block {
    this.#known = new Map()
    this.#leaves = new Map()
    this.#consts = new Map()
    return this.#block(block)
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

  #see(id: number): void {
    if (id >= this.#ids) this.#ids = id + 1
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

  // Statements.

  readonly #block = (block: Block): Block => {
    this.#loaded.push(new Map())
    const out: Stmt[] = []
    for (const s of block) this.#stmt(s, out)
    this.#loaded.pop()
    return out
  }

  #stmt(s: Stmt, out: Stmt[]): void {
    switch (s.kind) {
      case 'loop':
        return void out.push(this.#loop(s))
      case 'range':
        this.loops = true
        this.#see(s.index.id)
        break
      case 'var':
        this.#see(s.variable.id)
        if (isSpecial(s.variable.type)) this.special = true
        break
      case 'load':
        this.#load(s, out)
        return
      case 'let':
        this.#see(s.result.id)
        break
      case 'store':
        if (s.place.root.kind === 'view' || isSpecial(s.place.type)) this.special = true
        break
      case 'effect':
      case 'call':
        if (s.result) this.#see(s.result.id)
        if (s.kind === 'effect') this.#effect(s)
        break
      default:
    }
    const next = mapStmt(s, this.expr, this.#block)
    if (next.kind === 'let' && typeof next.value.type === 'string' && isInt(next.value.type)) {
      const value = knownConstant(next.value, this.constants)
      if (value) this.constants.set(next.result.id, value)
    }
    out.push(next)
  }

  #effect({ op, exchanged, place }: Effect): void {
    if (exchanged) this.#see(exchanged.id)
    if ('feature' in EFFECTS[op] || place?.root.kind === 'view') this.special = true
  }

  /** What the header of a loop loads is visible in the rest of it. */
  #loop(s: Extract<Stmt, { kind: 'loop' }>): Stmt {
    this.loops = true
    this.#loaded.push(new Map())
    const header: Stmt[] = []
    for (const h of s.header) this.#stmt(h, header)
    const test = s.test && this.expr(s.test)
    const body = this.#block(s.body)
    const continuing = this.#block(s.continuing)
    const breakIf = s.breakIf && this.expr(s.breakIf)
    this.#loaded.pop()
    return { ...s, header, test, body, continuing, breakIf }
  }

  #load(s: Load, out: Stmt[]): void {
    this.#see(s.result.id)
    const place = rebuildPlace(s.place, this.expr)
    if (place.root.kind === 'view') this.special = true
    const next: Load = place === s.place ? s : { kind: 'load', at: s.at, place, result: s.result }
    if (place.root.kind === 'binding' && this.#readOnly.has(place.root.name)) {
      const key = placeKey(place)
      for (const scope of this.#loaded) {
        const earlier = scope.get(key)
        if (!earlier) continue
        this.#same[s.result.id] = this.#node(earlier)
        return
      }
      this.#loaded.at(-1)?.set(key, s.result)
    }
    out.push(next)
  }
}

/** Ops that need a feature. */
export const PACKED: ReadonlySet<string> = new Set(
  'dot4I8Packed dot4U8Packed pack4xI8 pack4xU8 pack4xI8Clamp pack4xU8Clamp unpack4xI8 unpack4xU8'.split(' '),
)

/** Value types that need a feature. */
const HALVES: ReadonlySet<Type> = new Set(VALUE_NAMES.filter((name) => scalarOf(name) === 'f16'))

/** Whether a declaration of a type needs a feature or other declarations. */
const isSpecial = (type: Type): boolean =>
  typeof type === 'string' ? HALVES.has(type) : type.kind === 'array' ? isSpecial(type.of) : type.kind !== 'atomic'

/** The operand that was made last: few other expressions have it. */
function newestOf(args: readonly Node[]): Node | null {
  let newest: Node | null = null
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as Node
    if (newest === null || arg.n > newest.n) newest = arg
  }
  return newest
}

function sameArgs(a: readonly Node[], b: readonly Node[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function sameLanes(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false
  return true
}

/** Swizzles are told apart by their lanes; the name of the first one spares most comparisons. */
const SWIZZLES = ['x', 'y', 'z', 'w'] as const

function operandsOf(place: Place): readonly Node[] {
  const out: Node[] = []
  eachIndex(place, (e) => out.push(e as unknown as Node))
  return out
}

/** Equal for places that are the same: their indices are nodes. */
function placeKey(place: Place): string {
  const { root } = place
  let key = root.kind === 'variable' ? `v${root.id}` : `${root.kind} ${root.name}`
  if (root.kind === 'view') key += ` ${numberOf(root.offset)} ${spell(root.type)}`
  for (const step of place.steps) key += step.kind === 'member' ? `.${step.name}` : `[${numberOf(step.index)}`
  return key
}
