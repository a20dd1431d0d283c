import type { Expr, Of, Place } from '../../ir'
import { BUILTINS } from '../../ops'
import { isValue, type Type } from '../../types'
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
  /** By number of the node (see `Numbers`): its mask, and when it was found. */
  private readonly masks: Mask[] = []
  private readonly found: number[] = []
  private now = 1
  private readonly results: (Mask | undefined)[] = []
  /** The parameters of the function; none for the entry point. */
  params: readonly { readonly name: string; readonly type: Type }[] = []

  constructor(readonly context: Context) {}

  of(e: Expr): Mask {
    switch (e.kind) {
      case 'const':
      case 'param':
      case 'override':
      case 'constant':
        return 0
      case 'result':
        return this.results[e.id] ?? 0
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
    const n = this.context.numbers.of(e)
    if (this.found[n] === this.now) return this.masks[n] as Mask
    const mask = this.made(e)
    this.found[n] = this.now
    this.masks[n] = mask
    return mask
  }

  private made(e: Made): Mask {
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
    const before = this.results[id]
    if (before !== undefined && before !== mask) this.now++
    this.results[id] = mask
  }

  /** What the indices of a place depend on. */
  indices(place: Place): Mask {
    let mask = place.root.kind === 'view' ? this.of(place.root.offset) : 0
    for (const step of place.steps) if (step.kind === 'index') mask |= this.of(step.index)
    return mask
  }

  parameter(name: string): Mask {
    const i = this.params.findIndex((p) => p.name === name)
    return i < 0 ? DIVERGENT : paramBit(i)
  }

  /** The pointer type of a parameter. */
  pointer(name: string): { readonly space: string; readonly access: string } | null {
    const type = this.params.find((p) => p.name === name)?.type
    return type && !isValue(type) && type.kind === 'ptr' ? type : null
  }
}
