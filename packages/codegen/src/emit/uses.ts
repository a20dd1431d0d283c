import {
  type Block,
  blocksOf,
  type Call,
  type Cases,
  type Const,
  type Effect,
  type Expr,
  isInt,
  isPlace,
  type Let,
  type Load,
  type Loop,
  type Place,
  type Range,
  type Result,
  type Stmt,
  type Switch,
} from '@weft/dsl/ir'
import { argsOf, numberOf } from '../passes/node'
import { eachIndex } from '../passes/places'
import { costOf, LEVELS } from './costs'
import { type Special, specialOf } from './literals'
import type { Memory, WriteLog } from './memory'
import { appended, Info, type Region, Site } from './sites'

/** A `let` of the author's, and the name that it goes by, if that is another's. */
export interface Named {
  readonly stmt: Let
  readonly site: Site
  name?: string
}

/**
 * One walk down the statements of a body: their times, their writes, and all expressions, operands first. Uses by
 * statements are noted; those by other expressions follow when these are settled.
 */
export class Uses {
  readonly root: Region = { owner: null, depth: 0, loop: false, sites: [], end: 0 }
  /** All expressions and results, operands first. */
  readonly order: Info[] = []
  /** By the id of the result. */
  readonly results: (Info | undefined)[] = []
  readonly lets = new Map<Expr, Named>()
  /** Where variables are declared, by id. */
  readonly vars = new Map<number, Site>()
  readonly specials = new Set<Special>()
  readonly log: WriteLog
  readonly #infos: (Info | undefined)[]
  #clock = 0

  constructor(
    body: Block,
    readonly memory: Memory,
    readonly nameOf: (place: Place) => string,
    size: number,
  ) {
    this.#infos = new Array<Info | undefined>(size)
    this.log = memory.log()
    this.scan(body, this.root)
  }

  infoOf(e: Expr): Info | undefined {
    return e.kind === 'result' ? this.results[e.id] : this.#infos[numberOf(e)]
  }

  // Blocks.

  region(owner: Site, loop: boolean): Region {
    const inner: Region = { owner, depth: owner.region.depth + 1, loop, sites: [], end: 0 }
    owner.inner = appended(owner.inner, inner)
    return inner
  }

  site(at: Region, stmt: Stmt | null): Site {
    const s = new Site(at, ++this.#clock, stmt)
    at.sites.push(s)
    return s
  }

  statement(s: Stmt, into: Region): void {
    ;(SCAN[s.kind] as (s: Stmt, u: Uses, at: Site) => void)(s, this, this.site(into, s))
  }

  scan(block: Block, into: Region): void {
    for (let i = 0; i < block.length; i++) this.statement(block[i] as Stmt, into)
    this.end(into)
  }

  end(region: Region): void {
    region.end = this.#clock
  }

  nested(block: Block, owner: Site): Region {
    const inner = this.region(owner, false)
    this.scan(block, inner)
    return inner
  }

  // Expressions.

  define(result: Result | null, at: Region, stmt: Stmt | null, site: Site | null): void {
    if (result === null) return
    const info = new Info(result, at, 0, false, 0, stmt, site)
    this.results[result.id] = info
    this.order.push(info)
  }

  visit(e: Expr): Info | undefined {
    if (e.kind === 'result') return this.results[e.id]
    const known = this.#infos[numberOf(e)]
    if (known !== undefined) return known
    if (e.kind === 'const') {
      this.#noteSpecials(e)
      return undefined
    }
    return (this.#infos[numberOf(e)] = this.#made(e))
  }

  #made(e: Expr): Info {
    let avail = this.root
    let cost = costOf(e)
    let levels = 0
    const args = argsOf(e)
    for (let i = 0; i < args.length; i++) {
      const info = this.visit(args[i] as Expr)
      if (info === undefined) continue
      if (info.avail.depth > avail.depth) avail = info.avail
      cost += info.cost
      if (info.levels > levels) levels = info.levels
    }
    const deep = levels >= LEVELS
    const info = new Info(e, avail, cost, deep, deep || cost === 0 ? 0 : levels + 1, null, null)
    this.order.push(info)
    return info
  }

  #noteSpecials(e: Const): void {
    if (isInt(e.type)) return
    for (const x of e.lanes) {
      const special = specialOf(x)
      if (special) this.specials.add(special)
    }
  }

  use(e: Expr | null, at: Site): void {
    if (e !== null) this.visit(e)?.sites.push(at)
  }

  usePlace(place: Place, at: Site): void {
    eachIndex(place, (e) => this.use(e, at))
    this.hintIndices(place)
  }

  hintIndices(place: Place): void {
    for (const step of place.steps) {
      if (step.kind !== 'index') continue
      const info = this.#infos[numberOf(step.index)]
      if (info && info.hint === undefined) info.hint = `${this.nameOf(place)}_index`
    }
  }
}

const SCAN: Cases<Stmt, void, [Uses, Site]> = {
  let: scanLet,
  var(s, u, at) {
    u.use(s.variable.init, at)
    u.vars.set(s.variable.id, at)
  },
  load: scanLoad,
  store(s, u, at) {
    u.usePlace(s.place, at)
    u.use(s.value, at)
    u.log.store(s.place, at.time)
  },
  effect: scanEffect,
  call: scanCall,
  if(s, u, at) {
    u.use(s.test, at)
    u.nested(s.then, at)
    u.nested(s.else, at)
  },
  switch: scanSwitch,
  range: scanRange,
  loop: scanLoop,
  return: (s, u, at) => u.use(s.value, at),
  break: () => {},
  continue: () => {},
}

/** Of several names for one value in a block, the author's first is the one; one that a pass made yields to it. */
function scanLet(s: Let, u: Uses, at: Site): void {
  u.visit(s.value)
  const known = u.lets.get(s.value)
  if (!known) u.lets.set(s.value, { stmt: s, site: at })
  else if (known.stmt.at < 0 && s.at >= 0 && known.site.region === at.region) known.name ??= s.name
  u.define(s.result, at.region, s, at)
}

function scanLoad(s: Load, u: Uses, at: Site): void {
  eachIndex(s.place, (e) => void u.visit(e))
  u.hintIndices(s.place)
  u.define(s.result, at.region, s, at)
}

function scanEffect(s: Effect, u: Uses, at: Site): void {
  if (s.place) u.usePlace(s.place, at)
  for (const a of s.args) u.use(a, at)
  u.log.effect(s, at.time)
  u.define(s.result, at.region, s, at)
  u.define(s.exchanged, at.region, s, at)
}

function scanCall(s: Call, u: Uses, at: Site): void {
  if (s.result && u.memory.isValue(s.func)) for (const a of s.args as readonly Expr[]) u.visit(a)
  else {
    for (const a of s.args) isPlace(a) ? u.usePlace(a, at) : u.use(a, at)
    u.log.call(s, at.time)
  }
  u.define(s.result, at.region, s, at)
}

function scanSwitch(s: Switch, u: Uses, at: Site): void {
  u.use(s.selector, at)
  for (const c of s.cases) u.nested(c.body, at)
  u.nested(s.default, at)
}

function scanRange(s: Range, u: Uses, at: Site): void {
  u.use(s.start, at)
  const inner = u.region(at, true)
  const head = new Site(at.region, at.time, s, inner, at)
  u.use(s.end, head)
  u.use(s.step, head)
  u.define(s.index, inner, null, null)
  u.scan(s.body, inner)
}

function scanLoop(s: Loop, u: Uses, at: Site): void {
  const all = u.region(at, true)
  for (const h of s.header) u.statement(h, all)
  u.use(s.test, u.site(all, null))
  const body = u.nested(s.body, u.site(all, null))
  // the continuing block sees what the body has declared, unless a `continue` may have passed it by
  const continuing = u.nested(s.continuing, u.site(continues(s.body) ? all : body, null))
  u.use(s.breakIf, u.site(continuing, null))
  u.end(continuing)
  u.end(body)
  u.end(all)
}

/** Whether a body has a `continue` of its own loop. */
const continues = (body: Block): boolean =>
  body.some((s) => s.kind === 'continue' || (s.kind !== 'loop' && s.kind !== 'range' && blocksOf(s).some(continues)))
