import {
  type Block,
  type BuiltinName,
  blocksOf,
  type Call,
  type Const,
  type Expr,
  isInt,
  isPlace,
  type Let,
  type Load,
  type Op,
  type Place,
  type Result,
  type Stmt,
} from '@weft/dsl/ir'
import { argsOf, numberOf } from '../passes/graph'
import { eachIndex } from '../passes/places'
import { type Special, specialOf } from './literals'
import { clobbers, type Memory } from './memory'

/**
 * Where everything of one function body is evaluated: which expressions are written where they are used, and which are
 * bound by a `let`, and before which statement.
 *
 * - An expression used once is written there. Used several times, it is bound once, in the innermost block that holds
 *   all uses, before the first of them; but before a loop, where everything that it is made of is known there.
 * - A load is a statement: it reads when it runs. It is written where its value is used only if no write that may change
 *   its place lies between, and never inside a loop that it stood before when it reads storage or workgroup memory.
 * - What is just a name (a parameter, a lane of one, a constant) is not bound.
 *
 * Statements have times in the order of the text; blocks and loops are intervals of time. Expressions are visited from
 * their uses down, so that the place of a use is known before that of its operands.
 */
export interface Plan {
  readonly root: Region
  /** The expressions that a `let` binds; those before a statement are in its `Site.binds`. */
  readonly bound: ReadonlySet<Expr>
  /** Loads whose values are written where they are used, by the id of the result. */
  readonly inlined: readonly (Load | undefined)[]
  /** Expressions that go by the name of a `let` of the author's, by the id of its result. */
  readonly carried: ReadonlyMap<number, { readonly e: Expr; readonly name: string }>
  /** Variables that take the name of a `let`, by id. */
  readonly adopted: ReadonlyMap<number, Let>
  /** Calls that are written where their value is used, by the id of the result. */
  readonly inlinedCalls: ReadonlyMap<number, Call>
  /** How often each result is used. */
  readonly uses: (result: Result) => number
  /** What a bound expression is for, when that is a good name. */
  readonly hint: (e: Expr) => string | undefined
  /** The built-in values that the body uses. */
  readonly builtins: ReadonlySet<BuiltinName>
  /** The values among its constants that no literal can spell. */
  readonly specials: ReadonlySet<Special>
  /** The author's name of a result that a `let` gives to it. */
  readonly renamed: ReadonlyMap<number, Let>
}

/** A point of time: just before a statement runs. */
export class Site {
  /**
   * Nested blocks in order. Of a loop, one region for all of it: its header, then sites without statements for the test
   * and the body, and where the continuing block stands: in the body's region or after it.
   */
  inner: readonly Region[] = NONE
  /** Expressions to bind here, dependencies last. */
  binds: readonly Expr[] = NONE

  constructor(
    readonly region: Region,
    readonly time: number,
    readonly stmt: Stmt | null,
    /** The loop that evaluates again what is used here: the end and step of a range, whose own site is `base`. */
    readonly through: Region | null = null,
    readonly base: Site | null = null,
  ) {}
}

/** Most sites have neither blocks nor binds. */
const NONE: readonly never[] = []
const appended = <T>(list: readonly T[], item: T): readonly T[] => {
  if (list.length === 0) return [item]
  ;(list as T[]).push(item)
  return list
}

/** A block. Entering it from `owner` enters a loop if `loop`. */
export interface Region {
  readonly owner: Site | null
  readonly depth: number
  readonly loop: boolean
  readonly sites: Site[]
  end: number
}

/** An expression, or a result with the statement that gives it. */
class Info {
  sites: Site[] = []
  hint: string | undefined = undefined

  constructor(
    readonly e: Expr,
    /** The innermost block in which an operand becomes known. */
    readonly avail: Region,
    readonly cost: number,
    /** Nested so deep that compilers would give up. */
    readonly deep: boolean,
    readonly levels: number,
    readonly stmt: Stmt | null,
    readonly site: Site | null,
  ) {}
}

/** Nesting at which an expression is bound although it is used once: compilers refuse some 125 levels. */
const LEVELS = 32
/** What the builder calls the variable of a lazy choice. */
const UNNAMED = 'value'
/** The cost up to which the end of a range is written into the loop's head, which evaluates it in every round. */
const CHEAP = 2

export function plan(body: Block, memory: Memory, nameOf: (place: Place) => string, size: number): Plan {
  let clock = 0
  const infos = new Array<Info | undefined>(size)
  const results: (Info | undefined)[] = []
  const order: Info[] = []
  const letsByValue = new Map<Expr, { stmt: Let; site: Site; name?: string }>()
  const inlined: (Load | undefined)[] = []
  const inlinedCalls = new Map<number, Call>()
  const vars = new Map<number, Site>()
  const adopted = new Map<number, Let>()
  const carried = new Map<number, { readonly e: Expr; readonly name: string }>()
  const bound = new Set<Expr>()
  const renamed = new Map<number, Let>()
  const builtins = new Set<BuiltinName>()
  const specials = new Set<Special>()
  const log = memory.log()

  const infoOf = (e: Expr): Info | undefined => (e.kind === 'result' ? results[e.id] : infos[numberOf(e)])

  // First, down the statements: times, writes, and all expressions, operands first.

  const root: Region = { owner: null, depth: 0, loop: false, sites: [], end: 0 }
  scan(body, root)
  root.end = clock

  function region(owner: Site, loop: boolean): Region {
    const inner: Region = { owner, depth: owner.region.depth + 1, loop, sites: [], end: 0 }
    owner.inner = appended(owner.inner, inner)
    return inner
  }

  function site(at: Region, stmt: Stmt | null): Site {
    const s = new Site(at, ++clock, stmt)
    at.sites.push(s)
    return s
  }

  function scan(block: Block, into: Region): void {
    for (const s of block) scanStmt(s, site(into, s))
    into.end = clock
  }

  function nested(block: Block, owner: Site, loop = false): Region {
    const inner = region(owner, loop)
    scan(block, inner)
    return inner
  }

  function scanStmt(s: Stmt, at: Site): void {
    switch (s.kind) {
      case 'let':
        visit(s.value)
        noteLet(s, at)
        define(s.result, at.region, s, at)
        return
      case 'var':
        if (s.variable.init) use(s.variable.init, at)
        vars.set(s.variable.id, at)
        return
      case 'load':
        eachIndex(s.place, visit)
        hintIndices(s.place)
        define(s.result, at.region, s, at)
        return
      case 'store':
        usePlace(s.place, at)
        use(s.value, at)
        log.store(s.place, at.time)
        return
      case 'effect':
        if (s.place) usePlace(s.place, at)
        for (const a of s.args) use(a, at)
        log.effect(s, at.time)
        if (s.result) define(s.result, at.region, s, at)
        if (s.exchanged) define(s.exchanged, at.region, s, at)
        return
      case 'call':
        if (s.result && memory.isValue(s.func)) for (const a of s.args as readonly Expr[]) visit(a)
        else {
          for (const a of s.args) isPlace(a) ? usePlace(a, at) : use(a, at)
          log.call(s, at.time)
        }
        if (s.result) define(s.result, at.region, s, at)
        return
      case 'if':
        use(s.test, at)
        nested(s.then, at)
        nested(s.else, at)
        return
      case 'switch':
        use(s.selector, at)
        for (const c of s.cases) nested(c.body, at)
        nested(s.default, at)
        return
      case 'range': {
        use(s.start, at)
        const inner = region(at, true)
        const head = new Site(at.region, at.time, s, inner, at)
        use(s.end, head)
        use(s.step, head)
        define(s.index, inner, null, null)
        scan(s.body, inner)
        return
      }
      case 'loop': {
        const all = region(at, true)
        for (const h of s.header) scanStmt(h, site(all, h))
        const test = site(all, null)
        if (s.test) use(s.test, test)
        const body = nested(s.body, site(all, null))
        // the continuing block sees what the body has declared, unless a `continue` may have passed it by
        const continuing = nested(s.continuing, site(continues(s.body) ? all : body, null))
        const last = site(continuing, null)
        if (s.breakIf) use(s.breakIf, last)
        continuing.end = body.end = all.end = clock
        return
      }
      case 'return':
        if (s.value) use(s.value, at)
        return
      case 'break':
      case 'continue':
        return
    }
  }

  /** Of several names for one value in a block, the author's first is the one; one that a pass made yields to it. */
  function noteLet(s: Let, at: Site): void {
    const known = letsByValue.get(s.value)
    if (!known) letsByValue.set(s.value, { stmt: s, site: at })
    else if (known.stmt.at < 0 && s.at >= 0 && known.site.region === at.region) known.name ??= s.name
  }

  function define(result: Result, at: Region, stmt: Stmt | null, site: Site | null): void {
    const info = new Info(result, at, 0, false, 0, stmt, site)
    results[result.id] = info
    order.push(info)
  }

  function visit(e: Expr): Info | undefined {
    if (e.kind === 'result') return results[e.id]
    const n = numberOf(e)
    const known = infos[n]
    if (known !== undefined) return known
    if (e.kind === 'const') {
      noteSpecials(e)
      return undefined
    }
    let avail = root
    let cost = COST[e.kind]
    let levels = 0
    const args = argsOf(e)
    for (let i = 0; i < args.length; i++) {
      const info = visit(args[i] as Expr)
      if (info === undefined) continue
      if (info.avail.depth > avail.depth) avail = info.avail
      cost += info.cost
      if (info.levels > levels) levels = info.levels
    }
    if (e.kind === 'op' && (e.op === 'div' || e.op === 'rem')) cost += 3
    const deep = levels >= LEVELS
    const info = new Info(e, avail, cost, deep, deep || cost === 0 ? 0 : levels + 1, null, null)
    infos[n] = info
    order.push(info)
    return info
  }

  function noteSpecials(e: Const): void {
    if (isInt(e.type)) return
    for (const x of e.lanes) {
      const special = specialOf(x)
      if (special) specials.add(special)
    }
  }

  function use(e: Expr, at: Site): void {
    visit(e)?.sites.push(at)
  }

  function usePlace(place: Place, at: Site): void {
    eachIndex(place, (e) => use(e, at))
    hintIndices(place)
  }

  function hintIndices(place: Place): void {
    for (const step of place.steps) {
      if (step.kind !== 'index') continue
      const info = infos[numberOf(step.index)]
      if (info && info.hint === undefined) info.hint = `${nameOf(place)}_index`
    }
  }

  // Then from the uses down.

  for (let k = order.length - 1; k >= 0; k--) {
    const info = order[k] as Info
    if (info.sites.length === 0) continue
    if (info.e.kind === 'result') settleResult(info, info.e)
    else settle(info)
  }

  /** Whether a statement gives its value when it runs, and a `let` may name that. */
  function isGiven(info: Info | undefined): boolean {
    return info?.stmt?.kind === 'call' || (info?.stmt?.kind === 'effect' && info.stmt.exchanged === null)
  }

  function settleResult(info: Info, result: Result): void {
    const { stmt, site } = info
    if (stmt === null || site === null) return
    if (stmt.kind === 'let') {
      const { value } = stmt
      // a let that names what a statement gives: the statement takes the name
      if (value.kind === 'result' && isGiven(results[value.id]) && !renamed.has(value.id)) renamed.set(value.id, stmt)
      adopt(stmt, site)
      use(value, site)
    } else if (stmt.kind === 'call' && memory.isValue(stmt.func)) {
      const [only] = info.sites
      const here = info.sites.length === 1 && only?.region === site.region && !only.through && !renamed.has(result.id)
      if (here) inlinedCalls.set(result.id, stmt)
      for (const a of stmt.args as readonly Expr[]) infoOf(a)?.sites.push(here ? only : site)
    } else if (stmt.kind === 'load') {
      if (!info.sites.every((at) => mayInline(stmt, site, at, info.sites.length))) {
        usePlace(stmt.place, site)
        return
      }
      inlined[result.id] = stmt
      eachIndex(stmt.place, (e) => push(e, info.sites))
    }
  }

  /** A variable that the builder made, and whose last value a `let` then names, is called so from the start. */
  function adopt(named: Let, at: Site): void {
    if (named.value.kind !== 'result') return
    const info = results[named.value.id]
    const place = info?.stmt?.kind === 'load' ? info.stmt.place : undefined
    if (place?.root.kind !== 'variable' || place.steps.length > 0 || adopted.has(place.root.id)) return
    const declared = vars.get(place.root.id)
    if (declared?.region !== at.region || declared.stmt?.kind !== 'var' || declared.stmt.variable.name !== UNNAMED)
      return
    if (!clobbers(log, place, (info as Info).site?.time ?? 0, root.end)) adopted.set(place.root.id, named)
  }

  function mayInline(load: Load, from: Site, to: Site, uses: number): boolean {
    const access = memory.access(load.place)
    if (uses > 1 && !access.name) return false
    // into a loop: all of its time counts
    let until = to.time
    let rounds = false
    if (to.through) {
      until = to.through.end
      rounds = true
    }
    for (let r = to.region; r !== from.region && r.owner; r = r.owner.region) {
      if (!r.loop) continue
      until = Math.max(until, r.end)
      rounds = true
    }
    if (rounds && !access.free) return false
    return !clobbers(log, load.place, from.time, rounds ? until : until - 1)
  }

  function push(e: Expr, sites: readonly Site[]): void {
    const info = infoOf(e)
    if (info === undefined) return
    // what it is written in is used nowhere else, mostly
    if (info.sites.length === 0) info.sites = sites.slice()
    else for (let i = 0; i < sites.length; i++) info.sites.push(sites[i] as Site)
  }

  function pushAll(args: readonly Expr[], at: Site): void {
    for (let i = 0; i < args.length; i++) infoOf(args[i] as Expr)?.sites.push(at)
  }

  function settle(info: Info): void {
    const { e, sites } = info
    if (e.kind === 'builtin') builtins.add(e.name)
    const args = argsOf(e)
    if (!LEAF[e.kind]) {
      const shared = sites.length > 1
      const named = shared ? letOf(info) : undefined
      if (named) {
        carried.set(named.result.id, { e, name: named.name })
        pushAll(args, named.site)
        return
      }
      if (info.deep || (shared ? !isTrivial(e) : info.cost > CHEAP && sites[0]?.through !== null)) {
        const at = home(info)
        const owner = letsByValue.get(e)
        if (owner && owner.site.region === at.region) info.hint = owner.name ?? owner.stmt.name
        at.binds = appended(at.binds, e)
        bound.add(e)
        pushAll(args, at)
        return
      }
    }
    for (let i = 0; i < args.length; i++) push(args[i] as Expr, sites)
  }

  /** The author's `let` of an expression, where everything else that uses it comes after. */
  function letOf(info: Info): { result: Result; site: Site; name: string } | undefined {
    const owner = letsByValue.get(info.e)
    if (!owner || info.sites.length === 1) return undefined
    const { site: home } = owner
    for (const s of info.sites) {
      const at = base(s)
      if (at === home) continue
      let inner = at
      while (inner.region.depth > home.region.depth && inner.region.owner) inner = inner.region.owner
      if (inner.region !== home.region || inner.time <= home.time) return undefined
    }
    return { result: owner.stmt.result, site: home, name: owner.name ?? owner.stmt.name }
  }

  /** Before the first use within the innermost common block; or before a loop that nothing of it comes from. */
  function home(info: Info): Site {
    let at = base(info.sites[0] as Site)
    for (let i = 1; i < info.sites.length; i++) at = common(at, base(info.sites[i] as Site))
    for (let r = at.region; r !== info.avail && r.owner; r = r.owner.region) if (r.loop) at = r.owner
    return at
  }

  return {
    root,
    bound,
    inlined,
    carried,
    adopted,
    inlinedCalls,
    builtins,
    specials,
    renamed,
    uses: (result) => results[result.id]?.sites.length ?? 0,
    hint: (e) => infos[numberOf(e)]?.hint,
  }
}

/** Whether a body has a `continue` of its own loop. */
export function continues(body: Block): boolean {
  return body.some(
    (s) => s.kind === 'continue' || (s.kind !== 'loop' && s.kind !== 'range' && blocksOf(s).some(continues)),
  )
}

const base = (at: Site): Site => at.base ?? at

function common(a: Site, b: Site): Site {
  let x = a
  let y = b
  while (x.region !== y.region) {
    if (x.region.depth >= y.region.depth) x = x.region.owner ?? x
    else y = y.region.owner ?? y
  }
  return x.time <= y.time ? x : y
}

const LEAF: { readonly [K in Expr['kind']]: boolean } = {
  const: true,
  builtin: true,
  param: true,
  override: true,
  constant: true,
  argument: true,
  result: true,
  op: false,
  construct: false,
  convert: false,
  bitcast: false,
  swizzle: false,
  index: false,
  member: false,
  length: false,
}

const COST: { readonly [K in Expr['kind']]: number } = {
  const: 0,
  builtin: 0,
  param: 0,
  override: 0,
  constant: 0,
  argument: 0,
  result: 0,
  op: 1,
  construct: 1,
  convert: 1,
  bitcast: 1,
  swizzle: 0,
  index: 1,
  member: 0,
  length: 1,
}

/** Just a name, or part of one: writing it twice costs nothing and reads better. */
function isTrivial(e: Expr): boolean {
  switch (e.kind) {
    case 'swizzle':
    case 'member':
      return isTrivial(e.of)
    case 'index':
      return e.index.kind === 'const' && isTrivial(e.of)
    case 'construct':
      return e.args.length === 0 || (typeof e.type === 'string' && e.args.length === 1 && isScalarArgument(e.args[0]))
    case 'op':
      return isStep(e)
    default:
      return LEAF[e.kind]
  }
}

/** A name and a constant, one step apart: `row + 1u`, `lane == 0u`. A name of its own would say no more. */
function isStep(e: Op): boolean {
  if (!STEPS.has(e.op)) return false
  const [a, b] = e.args as [Expr, Expr]
  return (b.kind === 'const' && isName(a)) || (a.kind === 'const' && isName(b))
}

const STEPS: ReadonlySet<string> = new Set(['add', 'sub', 'eq', 'ne', 'lt', 'le', 'gt', 'ge'])
const isName = (e: Expr): boolean =>
  typeof e.type === 'string' &&
  isInt(e.type) &&
  (LEAF[e.kind] || ((e.kind === 'swizzle' || e.kind === 'member') && isName(e.of)))

/** A splat is written again, its scalar bound: in arithmetic the scalar is all that is written. */
const isScalarArgument = (e: Expr | undefined): boolean =>
  e !== undefined && typeof e.type === 'string' && !e.type.startsWith('vec') && !e.type.startsWith('mat')
