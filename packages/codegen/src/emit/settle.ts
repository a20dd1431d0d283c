import type { BuiltinName, Call, Expr, Let, Load, Result } from '@weft/dsl/ir'
import { argsOf } from '../passes/node'
import { eachIndex } from '../passes/places'
import { CHEAP, isTrivial, LEAF } from './costs'
import type { Special } from './literals'
import { clobbers } from './memory'
import type { Plan } from './plan'
import { appended, base, common, type Info, type Region, type Site } from './sites'
import type { Uses } from './uses'

/** What the builder calls the variable of a lazy choice. */
const UNNAMED = 'value'

/**
 * Decides from the uses down: when an expression is settled, everything that it is written in is, so that all its uses
 * are known; these then are the uses of its operands.
 */
export class Settled implements Plan {
  readonly root: Region
  readonly bound = new Set<Expr>()
  readonly inlined: (Load | undefined)[] = []
  readonly carried = new Map<number, { readonly e: Expr; readonly name: string }>()
  readonly adopted = new Map<number, Let>()
  readonly inlinedCalls = new Map<number, Call>()
  readonly builtins = new Set<BuiltinName>()
  readonly specials: ReadonlySet<Special>
  readonly renamed = new Map<number, Let>()
  readonly #found: Uses

  constructor(found: Uses) {
    this.root = found.root
    this.specials = found.specials
    this.#found = found
    const { order } = found
    for (let k = order.length - 1; k >= 0; k--) {
      const info = order[k] as Info
      if (info.sites.length === 0) continue
      if (info.e.kind === 'result') this.#result(info, info.e)
      else this.#expression(info)
    }
  }

  uses(result: Result): number {
    return this.#found.results[result.id]?.sites.length ?? 0
  }

  hint(e: Expr): string | undefined {
    return e.kind === 'result' ? undefined : this.#found.infoOf(e)?.hint
  }

  // Expressions.

  #expression(info: Info): void {
    const { e, sites } = info
    if (e.kind === 'builtin') this.builtins.add(e.name)
    const args = argsOf(e)
    const at = LEAF[e.kind] ? null : this.#bind(info)
    if (at === null) for (let i = 0; i < args.length; i++) this.#push(args[i] as Expr, sites)
    else for (let i = 0; i < args.length; i++) this.#found.infoOf(args[i] as Expr)?.sites.push(at)
  }

  /** Gives an expression a name if it wants one, and says where. */
  #bind(info: Info): Site | null {
    const { e, sites } = info
    const shared = sites.length > 1
    // the head of a range evaluates its end in every round
    const wanted = info.deep || (shared ? !isTrivial(e) : info.cost > CHEAP && sites[0]?.through !== null)
    if (!shared && !wanted) return null
    const owner = this.#found.lets.get(e)
    if (shared && owner && precedes(owner.site, sites)) {
      this.carried.set(owner.stmt.result.id, { e, name: owner.name ?? owner.stmt.name })
      return owner.site
    }
    if (!wanted) return null
    const at = home(info)
    if (owner && owner.site.region === at.region) info.hint = owner.name ?? owner.stmt.name
    at.binds = appended(at.binds, e)
    this.bound.add(e)
    return at
  }

  #push(e: Expr, sites: readonly Site[]): void {
    const info = this.#found.infoOf(e)
    if (info === undefined) return
    // what it is written in is used nowhere else, mostly
    if (info.sites.length === 0) info.sites = sites.slice()
    else for (let i = 0; i < sites.length; i++) info.sites.push(sites[i] as Site)
  }

  // What statements give.

  #result(info: Info, { id }: Result): void {
    const { stmt, site } = info
    if (stmt === null || site === null) return
    if (stmt.kind === 'let') this.#let(stmt, site)
    else if (stmt.kind === 'load') this.#load(stmt, site, info)
    else if (stmt.kind === 'call' && this.#found.memory.isValue(stmt.func)) {
      const [only] = info.sites
      const here = info.sites.length === 1 && only?.region === site.region && !only.through && !this.renamed.has(id)
      if (here) this.inlinedCalls.set(id, stmt)
      for (const a of stmt.args as readonly Expr[]) this.#found.infoOf(a)?.sites.push(here ? only : site)
    }
  }

  #let(s: Let, site: Site): void {
    const { value } = s
    // a let that names what a statement gives: the statement takes the name
    if (value.kind === 'result' && isGiven(this.#found.results[value.id]) && !this.renamed.has(value.id))
      this.renamed.set(value.id, s)
    this.#adopt(s, site)
    this.#found.use(value, site)
  }

  /** A variable that the builder made, and whose last value a `let` then names, is called so from the start. */
  #adopt(named: Let, at: Site): void {
    if (named.value.kind !== 'result') return
    const { results, vars, log } = this.#found
    const info = results[named.value.id]
    const place = info?.stmt?.kind === 'load' ? info.stmt.place : undefined
    if (place?.root.kind !== 'variable' || place.steps.length > 0 || this.adopted.has(place.root.id)) return
    const declared = vars.get(place.root.id)
    if (declared?.region !== at.region || declared.stmt?.kind !== 'var' || declared.stmt.variable.name !== UNNAMED)
      return
    if (!clobbers(log, place, info?.site?.time ?? 0, this.root.end)) this.adopted.set(place.root.id, named)
  }

  #load(s: Load, site: Site, info: Info): void {
    if (!info.sites.every((at) => this.#mayInline(s, site, at, info.sites.length))) {
      this.#found.usePlace(s.place, site)
      return
    }
    this.inlined[s.result.id] = s
    eachIndex(s.place, (e) => this.#push(e, info.sites))
  }

  #mayInline(load: Load, from: Site, to: Site, uses: number): boolean {
    const { memory, log } = this.#found
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
}

/** Whether a statement gives its value when it runs, and a `let` may name that. */
const isGiven = (info: Info | undefined): boolean =>
  info?.stmt?.kind === 'call' || (info?.stmt?.kind === 'effect' && info.stmt.exchanged === null)

/** Whether all other sites come after this one, in its block or in the blocks inside. */
function precedes(first: Site, sites: readonly Site[]): boolean {
  for (const s of sites) {
    const at = base(s)
    if (at === first) continue
    let inner = at
    while (inner.region.depth > first.region.depth && inner.region.owner) inner = inner.region.owner
    if (inner.region !== first.region || inner.time <= first.time) return false
  }
  return true
}

/** Before the first use within the innermost common block; or before a loop that nothing of it comes from. */
function home(info: Info): Site {
  let at = base(info.sites[0] as Site)
  for (let i = 1; i < info.sites.length; i++) at = common(at, base(info.sites[i] as Site))
  for (let r = at.region; r !== info.avail && r.owner; r = r.owner.region) if (r.loop) at = r.owner
  return at
}
