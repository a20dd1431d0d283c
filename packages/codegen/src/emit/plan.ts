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
import { eachIndex, eachOperand } from '../passes/children'
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
  readonly inlined: ReadonlyMap<number, Load>
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
export interface Site {
  readonly region: Region
  readonly time: number
  readonly stmt: Stmt | null
  /**
   * Nested blocks in order. Of a loop, one region for all of it: its header, then sites without statements for the test
   * and the body, and where the continuing block stands: in the body's region or after it.
   */
  readonly inner: Region[]
  /** Expressions to bind here, dependencies last. */
  readonly binds: Expr[]
  /** The loop that evaluates again what is used here: the end and step of a range, whose own site is `base`. */
  readonly through: Region | null
  readonly base: Site | null
}

/** A block. Entering it from `owner` enters a loop if `loop`. */
export interface Region {
  readonly owner: Site | null
  readonly depth: number
  readonly loop: boolean
  readonly sites: Site[]
  end: number
}

interface Info {
  readonly e: Expr
  readonly sites: Site[]
  /** The innermost block in which an operand becomes known. */
  readonly avail: Region
  readonly cost: number
  /** Nested so deep that compilers would give up. */
  readonly deep: boolean
  readonly levels: number
  hint: string | undefined
}

/** Nesting at which an expression is bound although it is used once: compilers refuse some 125 levels. */
const LEVELS = 32
/** What the builder calls the variable of a lazy choice. */
const UNNAMED = 'value'
/** The cost up to which the end of a range is written into the loop's head, which evaluates it in every round. */
const CHEAP = 2

export function plan(body: Block, memory: Memory, nameOf: (place: Place) => string): Plan {
  let clock = 0
  const infos = new Map<Expr, Info>()
  const results = new Map<number, Info>()
  const order: Info[] = []
  const loads = new Map<number, { stmt: Load; site: Site }>()
  const calls = new Map<number, { stmt: Call; site: Site }>()
  const inlinedCalls = new Map<number, Call>()
  const lets = new Map<number, { stmt: Let; site: Site }>()
  const letsByValue = new Map<Expr, { stmt: Let; site: Site; name?: string }>()
  const inlined = new Map<number, Load>()
  const vars = new Map<number, Site>()
  const adopted = new Map<number, Let>()
  const carried = new Map<number, { readonly e: Expr; readonly name: string }>()
  const bound = new Set<Expr>()
  const renamed = new Map<number, Let>()
  /** Results of effects and calls. */
  const given = new Set<number>()
  const builtins = new Set<BuiltinName>()
  const specials = new Set<Special>()
  const log = memory.log()

  const infoOf = (e: Expr): Info | undefined => (e.kind === 'result' ? results.get(e.id) : infos.get(e))

  // First, down the statements: times, writes, and all expressions, operands first.

  const root: Region = { owner: null, depth: 0, loop: false, sites: [], end: 0 }
  scan(body, root)
  root.end = clock

  function region(owner: Site, loop: boolean): Region {
    const inner: Region = { owner, depth: owner.region.depth + 1, loop, sites: [], end: 0 }
    owner.inner.push(inner)
    return inner
  }

  function site(at: Region, stmt: Stmt | null): Site {
    const s: Site = { region: at, time: ++clock, stmt, inner: [], binds: [], through: null, base: null }
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
        lets.set(s.result.id, { stmt: s, site: at })
        noteLet(s, at)
        define(s.result, at.region)
        return
      case 'var':
        if (s.variable.init) use(s.variable.init, at)
        vars.set(s.variable.id, at)
        return
      case 'load':
        eachIndex(s.place, visit)
        hintIndices(s.place)
        loads.set(s.result.id, { stmt: s, site: at })
        define(s.result, at.region)
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
        if (s.result) define(s.result, at.region)
        if (s.result && !s.exchanged) given.add(s.result.id)
        if (s.exchanged) define(s.exchanged, at.region)
        return
      case 'call':
        if (s.result && memory.isValue(s.func)) {
          for (const a of s.args as readonly Expr[]) visit(a)
          calls.set(s.result.id, { stmt: s, site: at })
          define(s.result, at.region)
          given.add(s.result.id)
          return
        }
        for (const a of s.args) isPlace(a) ? usePlace(a, at) : use(a, at)
        log.call(s, at.time)
        if (s.result) define(s.result, at.region)
        if (s.result) given.add(s.result.id)
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
        const head: Site = { ...at, through: inner, base: at }
        use(s.end, head)
        use(s.step, head)
        define(s.index, inner)
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

  function define(result: Result, at: Region): void {
    const info: Info = { e: result, sites: [], avail: at, cost: 0, deep: false, levels: 0, hint: undefined }
    results.set(result.id, info)
    order.push(info)
  }

  function visit(e: Expr): Info | undefined {
    const known = infoOf(e)
    if (known) return known
    if (e.kind === 'const') {
      noteSpecials(e)
      return undefined
    }
    let avail = root
    let cost = COST[e.kind]
    let levels = 0
    eachOperand(e, (o) => {
      const i = visit(o)
      if (!i) return
      if (i.avail.depth > avail.depth) avail = i.avail
      cost += i.cost
      if (i.levels > levels) levels = i.levels
    })
    if (e.kind === 'op' && (e.op === 'div' || e.op === 'rem')) cost += 3
    const deep = levels >= LEVELS
    const info: Info = { e, sites: [], avail, cost, deep, levels: deep || cost === 0 ? 0 : levels + 1, hint: undefined }
    infos.set(e, info)
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
      const info = infos.get(step.index)
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

  function settleResult(info: Info, result: Result): void {
    const named = lets.get(result.id)
    if (named) {
      const { value } = named.stmt
      // a let that names what a statement gives: the statement takes the name
      if (value.kind === 'result' && given.has(value.id) && !renamed.has(value.id)) renamed.set(value.id, named.stmt)
      adopt(named.stmt, named.site)
      use(value, named.site)
      return
    }
    const called = calls.get(result.id)
    if (called) {
      const [only] = info.sites
      const here =
        info.sites.length === 1 && only?.region === called.site.region && !only.through && !renamed.has(result.id)
      if (here) inlinedCalls.set(result.id, called.stmt)
      for (const a of called.stmt.args as readonly Expr[]) infoOf(a)?.sites.push(here ? only : called.site)
      return
    }
    const load = loads.get(result.id)
    if (!load) return
    if (!info.sites.every((at) => mayInline(load.stmt, load.site, at, info.sites.length))) {
      usePlace(load.stmt.place, load.site)
      return
    }
    inlined.set(result.id, load.stmt)
    eachIndex(load.stmt.place, (e) => push(e, info.sites))
  }

  /** A variable that the builder made, and whose last value a `let` then names, is called so from the start. */
  function adopt(named: Let, at: Site): void {
    const load = named.value.kind === 'result' ? loads.get(named.value.id) : undefined
    const place = load?.stmt.place
    if (!load || place?.root.kind !== 'variable' || place.steps.length > 0 || adopted.has(place.root.id)) return
    const declared = vars.get(place.root.id)
    if (declared?.region !== at.region || declared.stmt?.kind !== 'var' || declared.stmt.variable.name !== UNNAMED)
      return
    if (!clobbers(log, place, load.site.time, root.end)) adopted.set(place.root.id, named)
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
    if (info) for (let i = 0; i < sites.length; i++) info.sites.push(sites[i] as Site)
  }

  function settle(info: Info): void {
    const { e, sites } = info
    if (e.kind === 'builtin') builtins.add(e.name)
    if (!LEAF[e.kind]) {
      const again = sites.some((at) => at.through !== null)
      const named = sites.length > 1 ? letOf(info) : undefined
      if (named) {
        carried.set(named.result.id, { e, name: named.name })
        eachOperand(e, (o) => infoOf(o)?.sites.push(named.site))
        return
      }
      const bind = info.deep || (sites.length > 1 ? !isTrivial(e) : again && info.cost > CHEAP)
      if (bind) {
        const at = home(info)
        const named = letsByValue.get(e)
        if (named && named.site.region === at.region) info.hint = named.name ?? named.stmt.name
        at.binds.push(e)
        bound.add(e)
        eachOperand(e, (o) => infoOf(o)?.sites.push(at))
        return
      }
    }
    eachOperand(e, (o) => push(o, sites))
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
    uses: (result) => results.get(result.id)?.sites.length ?? 0,
    hint: (e) => infos.get(e)?.hint,
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
