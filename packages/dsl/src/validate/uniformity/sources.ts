import type { Cases, Expr, Place } from '../../ir'
import { BUILTINS } from '../../ops'
import { isValue, type Type } from '../../types'
import type { Context } from '../context'
import { BY_SUBGROUP, DIVERGENT, paramBit, type Mask } from './mask'

const BUILTIN: { readonly [U in 'workgroup' | 'subgroup' | 'divergent']: Mask } = { workgroup: 0, subgroup: BY_SUBGROUP, divergent: DIVERGENT }

/** What values depend on, within one function. Results get their masks as the statements are walked. */
export class Sources {
  private readonly memo = new Map<Expr, Mask>()
  private readonly results: (Mask | undefined)[] = []
  /** The parameters of the function; none for the entry point. */
  params: readonly { readonly name: string; readonly type: Type }[] = []

  constructor(readonly context: Context) {}

  of(e: Expr): Mask {
    switch (e.kind) {
      case 'const': case 'param': case 'override': case 'constant': return 0
      case 'result': return this.results[e.id] ?? 0
      case 'builtin': return BUILTIN[BUILTINS[e.name].uniform]
    }
    const known = this.memo.get(e)
    if (known !== undefined) return known
    const mask = (MASK[e.kind] as (e: Expr, s: Sources) => Mask)(e, this)
    this.memo.set(e, mask)
    return mask
  }

  all(list: readonly Expr[]): Mask {
    let mask = 0
    for (const e of list) mask |= this.of(e)
    return mask
  }

  /** Masks only grow; one that has grown makes what was derived from it stale. */
  define(id: number, mask: Mask): void {
    const before = this.results[id]
    if (before !== undefined && before !== mask) this.memo.clear()
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

const MASK: Cases<Expr, Mask, [Sources]> = {
  const: () => 0,
  param: () => 0,
  override: () => 0,
  constant: () => 0,
  builtin: (e) => BUILTIN[BUILTINS[e.name].uniform],
  result: (e, s) => s.of(e),
  argument: (e, s) => s.parameter(e.name),
  op: (e, s) => s.all(e.args),
  construct: (e, s) => s.all(e.args),
  convert: (e, s) => s.of(e.arg),
  bitcast: (e, s) => s.of(e.arg),
  swizzle: (e, s) => s.of(e.of),
  index: (e, s) => s.of(e.of) | s.of(e.index),
  member: (e, s) => s.of(e.of),
  length: (e, s) => s.indices(e.of),
}
