import {
  type Block,
  blocksOf,
  type Call,
  type Cases,
  type Const,
  EFFECTS,
  type Effect,
  type Expr,
  isPlace,
  type Let,
  type Loop,
  type Place,
  type Range,
  type Result,
  type Root,
  type Stmt,
  type Store,
  type Type,
} from '@weft/dsl/ir'
import { argsOf, numberOf } from '../passes/node'
import { type Callee, type Context, type Declared, declared } from './context'
import { costOf, LEVELS } from './costs'
import { type Special, specialOf } from './literals'
import type { Log } from './memory'
import { appended, Region, Site, Value } from './sites'

/**
 * One walk down the statements of a body: their times, their writes, and all expressions, operands first. Uses by
 * statements are noted; those by other expressions follow when these are settled.
 */
export class Scan {
  readonly root = new Region(null, false)
  /** All expressions and results, operands first. */
  readonly order: Value[] = []
  readonly log: Log = { barriers: [], throughPointers: [] }
  readonly specials = new Set<Special>()
  /** What is true of a call of the function, see `Callee`. */
  pure = true
  isValue: boolean

  constructor(
    body: Block,
    readonly c: Context,
  ) {
    this.isValue = [...c.args.values()].every((arg) => arg.space === null)
    this.#scan(body, this.root)
  }

  // Blocks.

  #site(region: Region, stmt: Stmt | null): Site {
    const site = new Site(region, ++this.c.module.time, stmt)
    region.sites = appended(region.sites, site)
    return site
  }

  #scan(block: Block, into: Region): void {
    for (let i = 0; i < block.length; i++) this.#statement(block[i] as Stmt, into)
    into.end = this.c.module.time
  }

  #nested(block: Block, owner: Site): Region {
    const inner = new Region(owner, false)
    this.#scan(block, inner)
    return inner
  }

  // Expressions.

  #define(result: Result | null, site: Site | null, avail: Region): void {
    if (result === null) return
    const value = new Value(result, avail, site)
    if (site) site.value = value
    this.c.results[result.id] = value
    this.order.push(value)
  }

  /** With `at`, an expression is used there; without, it may turn out not to be used. */
  #visit(e: Expr, at: Site | null = null): Value | undefined {
    if (e.kind === 'const') {
      this.#noteSpecials(e)
      return undefined
    }
    const value = this.c.valueOf(e) ?? (this.c.values[numberOf(e)] = this.#made(e))
    if (at !== null) value.use(at)
    return value
  }

  #made(e: Expr): Value {
    let avail = this.root
    let cost = costOf(e)
    let levels = 0
    const args = argsOf(e)
    for (let i = 0; i < args.length; i++) {
      const arg = this.#visit(args[i] as Expr)
      if (arg === undefined) continue
      if (arg.avail.depth > avail.depth) avail = arg.avail
      cost += arg.cost
      if (arg.levels > levels) levels = arg.levels
    }
    this.#declare(e.type)
    if (e.kind === 'length') this.#mention(e.of.root)
    else if (e.kind === 'constant' || e.kind === 'override') this.#mention({ kind: 'binding', name: e.name })
    const value = new Value(e, avail, null, cost, levels >= LEVELS ? -1 : cost === 0 ? 0 : levels + 1)
    this.order.push(value)
    return value
  }

  /** Structs get their names before anything in the body does. */
  #declare(type: Type): void {
    if (typeof type !== 'string') this.c.module.type(type)
  }

  #noteSpecials(e: Const): void {
    for (const x of e.lanes) {
      const special = specialOf(x)
      if (special) this.specials.add(special)
    }
  }

  // Places.

  #mention(root: Root): Declared {
    const found = this.c.declared(root)
    found.last = this.c.module.time
    return found
  }

  /** What a place is in, and the expressions in it, as by `#visit`. */
  #place(place: Place, at: Site | null): Declared {
    const { root, steps } = place
    const found = this.#mention(root)
    if (root.kind === 'view') {
      this.#declare(root.type)
      this.#visit(root.offset, at)
    }
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as Place['steps'][number]
      if (step.kind !== 'index') continue
      const index = this.#visit(step.index, at)
      if (index && index.e.kind !== 'result' && index.hint === undefined)
        index.hint = `${root.kind === 'variable' ? found.name || 'value' : root.name}_index`
    }
    return found
  }

  #wrote(place: Place, root: Declared, { time }: Site): void {
    if (place.root.kind === 'pointer') this.log.throughPointers.push({ time, place })
    else root.writes = appended(root.writes, { time, place })
  }

  // Statements.

  #statement(s: Stmt, region: Region): void {
    ;(Scan.#CASES[s.kind] as (s: Stmt, scan: Scan, at: Site) => void)(s, this, this.#site(region, s))
  }

  static readonly #CASES: Cases<Stmt, void, [Scan, Site]> = {
    let: (s, scan, at) => scan.#let(s, at),
    var(s, scan, at) {
      const { id, type, space, init } = s.variable
      if (init) scan.#visit(init, at)
      scan.#declare(type)
      scan.c.module.declared.set(id, declared('', type, space, at))
    },
    load(s, scan, at) {
      if (scan.#place(s.place, null).site === null) scan.isValue = false
      scan.#define(s.result, at, at.region)
    },
    store: (s, scan, at) => scan.#store(s, at),
    effect: (s, scan, at) => scan.#effect(s, at),
    call: (s, scan, at) => scan.#call(s, at),
    if(s, scan, at) {
      scan.#visit(s.test, at)
      at.inner = [scan.#nested(s.then, at), scan.#nested(s.else, at)]
    },
    switch(s, scan, at) {
      scan.#visit(s.selector, at)
      at.inner = [...s.cases.map((c) => scan.#nested(c.body, at)), scan.#nested(s.default, at)]
    },
    range: (s, scan, at) => scan.#range(s, at),
    loop: (s, scan, at) => scan.#loop(s, at),
    return(s, scan, at) {
      if (s.value) scan.#visit(s.value, at)
    },
    break: () => {},
    continue: () => {},
  }

  /** Of several names for one value in a block, the author's first is the one; one that a pass made yields to it. */
  #let(s: Let, at: Site): void {
    const value = this.#visit(s.value)
    if (value && !value.named) value.named = { site: at, at: s.at, name: s.name, carries: false }
    else if (value?.named && value.named.at < 0 && s.at >= 0 && value.named.site.region === at.region) {
      value.named.at = s.at
      value.named.name = s.name
    }
    this.#define(s.result, at, at.region)
  }

  #store(s: Store, at: Site): void {
    const root = this.#place(s.place, at)
    this.#visit(s.value, at)
    this.#wrote(s.place, root, at)
    if (root.site !== null) return
    this.isValue = false
    if (s.place.root.kind !== 'pointer') this.pure = false
  }

  #effect(s: Effect, at: Site): void {
    const { family, memory } = EFFECTS[s.op]
    const root = s.place && this.#place(s.place, at)
    for (const a of s.args) this.#visit(a, at)
    if (family === 'barrier') this.log.barriers.push(at.time)
    else if (root && memory !== 'none' && memory !== 'read') this.#wrote(s.place as Place, root, at)
    this.isValue = false
    if (memory !== 'none') this.pure = false
    this.#define(s.result, at, at.region)
    this.#define(s.exchanged, at, at.region)
  }

  #call(s: Call, at: Site): void {
    const { pure, isValue } = this.c.module.functions.get(s.func) as Callee
    for (const a of s.args) {
      if (isPlace(a)) this.#wrote(a, this.#place(a, at), at)
      else this.#visit(a, s.result && isValue ? null : at)
    }
    if (!pure) {
      this.log.barriers.push(at.time)
      this.pure = false
    }
    if (!isValue) this.isValue = false
    this.#define(s.result, at, at.region)
  }

  #range(s: Range, at: Site): void {
    this.#visit(s.start, at)
    const inner = new Region(at, true)
    at.inner = [inner]
    const head = new Site(inner, ++this.c.module.time, null, true)
    this.#visit(s.end, head)
    this.#visit(s.step, head)
    this.#define(s.index, null, inner)
    this.#scan(s.body, inner)
  }

  #loop(s: Loop, at: Site): void {
    const all = new Region(at, true)
    for (const h of s.header) this.#statement(h, all)
    const test = this.#site(all, null)
    if (s.test) this.#visit(s.test, test)
    const body = new Region(this.#site(all, null), false)
    this.#scan(s.body, body)
    // the continuing block sees what the body has declared, unless a `continue` may have passed it by
    const continuing = new Region(this.#site(continues(s.body) ? all : body, null), false)
    this.#scan(s.continuing, continuing)
    const last = this.#site(continuing, null)
    if (s.breakIf) this.#visit(s.breakIf, last)
    all.end = body.end = continuing.end = this.c.module.time
    at.inner = [all, body, continuing]
  }
}

/** Whether a body has a `continue` of its own loop. */
const continues = (body: Block): boolean =>
  body.some((s) => s.kind === 'continue' || (s.kind !== 'loop' && s.kind !== 'range' && blocksOf(s).some(continues)))
