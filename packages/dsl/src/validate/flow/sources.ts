import type { Expr, FuncParam, Of, Place } from '../../ir'
import { BUILTINS } from '../../ops'
import { isKind, type PtrType } from '../../types'
import type { Context } from '../context'
import { BY_SUBGROUP, DIVERGENT, type Mask, paramBit } from './mask'

const BUILTIN: { readonly [U in 'workgroup' | 'subgroup' | 'divergent']: Mask } = {
  workgroup: 0,
  subgroup: BY_SUBGROUP,
  divergent: DIVERGENT,
}

type Made = Of<Expr, 'op' | 'construct' | 'index' | 'length'>

/** What values depend on, within one function. Results get their masks as the statements are walked. */
export class Sources {
  readonly #context: Context
  readonly #params: readonly FuncParam[]
  /** Since when no result has changed. */
  #now: number
  /** Nobody asks: the values of all expressions count as uniform. */
  off = false
  readonly #results: (Mask | undefined)[] = []

  /** `params`: those of the function; none for the entry point. */
  constructor(context: Context, params: readonly FuncParam[]) {
    this.#context = context
    this.#params = params
    this.#now = context.nodes.tick()
  }

  of(e: Expr): Mask {
    if (this.off) return 0
    switch (e.kind) {
      case 'op':
      case 'construct':
        break
      case 'const':
      case 'param':
      case 'override':
      case 'constant':
        return 0
      case 'result':
        return this.#results[e.id] ?? 0
      case 'builtin':
        return BUILTIN[BUILTINS[e.name].uniform]
      case 'argument':
        return this.parameter(e.name)
      case 'convert':
      case 'bitcast':
        return this.of(e.arg)
      case 'swizzle':
      case 'member':
        return this.of(e.of)
    }
    const node = this.#context.nodes.of(e)
    if (node.maskedAt !== this.#now) {
      node.mask = this.#made(e)
      node.maskedAt = this.#now
    }
    return node.mask
  }

  #made(e: Made): Mask {
    switch (e.kind) {
      case 'op':
      case 'construct': {
        let mask = 0
        for (const a of e.args) mask |= this.of(a)
        return mask
      }
      case 'index':
        return this.of(e.of) | this.of(e.index)
      case 'length':
        return this.indices(e.of)
    }
  }

  /** Masks only grow; one that has grown makes what was derived from it stale. */
  define(id: number, mask: Mask): void {
    const before = this.#results[id]
    if (before !== undefined && before !== mask) this.#now = this.#context.nodes.tick()
    this.#results[id] = mask
  }

  /** What the indices of a place depend on. */
  indices(place: Place): Mask {
    let mask = place.root.kind === 'view' ? this.of(place.root.offset) : 0
    for (const step of place.steps) if (step.kind === 'index') mask |= this.of(step.index)
    return mask
  }

  parameter(name: string): Mask {
    const i = this.#params.findIndex((p) => p.name === name)
    return i < 0 ? DIVERGENT : paramBit(i)
  }

  /** The pointer type of a parameter. */
  pointer(name: string): PtrType | null {
    const type = this.#params.find((p) => p.name === name)?.type
    return type && isKind(type, 'ptr') ? type : null
  }
}
